// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import java.util.List;

/**
 * Decides small histories of one lock as general checkers do: tries every order of grants and ends that the moments
 * allow, against what the lock is specified to do.
 */
final class EverySearch {

    private final List<Hold> holds;
    private final boolean[] granted;
    private final boolean[] ended;

    private EverySearch(List<Hold> holds) {
        this.holds = holds;
        this.granted = new boolean[holds.size()];
        this.ended = new boolean[holds.size()];
    }

    static boolean isExplained(List<Hold> holds) {
        return new EverySearch(holds).search(0);
    }

    private boolean search(int grants) {
        if (grants == holds.size()) {
            return true;
        }
        for (int i = 0; i < holds.size(); i++) {
            if (!granted[i] && mayCome(holds.get(i).asked()) && isLegal(holds.get(i))) {
                granted[i] = true;
                if (search(grants + 1)) {
                    return true;
                }
                granted[i] = false;
            } else if (granted[i] && !ended[i] && mayCome(holds.get(i).end())) {
                ended[i] = true;
                if (search(grants)) {
                    return true;
                }
                ended[i] = false;
            }
        }
        return false;
    }

    /** What begins at that moment cannot take effect before a grant that was answered by then. */
    private boolean mayCome(long begins) {
        for (int i = 0; i < holds.size(); i++) {
            if (!granted[i] && holds.get(i).granted() < begins) {
                return false;
            }
        }
        return true;
    }

    private boolean isLegal(Hold next) {
        int present = 0;
        for (int i = 0; i < holds.size(); i++) {
            Hold other = holds.get(i);
            boolean shares = next.isShared() && other.isShared();
            if (granted[i] && !shares && next.kind() != Kind.PERMIT && next.token() <= other.token()) {
                return false;
            }
            present += granted[i] && !ended[i] && !shares ? 1 : 0;
        }
        return present < (next.kind() == Kind.PERMIT ? next.permits() : 1);
    }
}
