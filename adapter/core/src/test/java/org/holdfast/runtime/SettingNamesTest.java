// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.holdfast.LockSettings;
import org.holdfast.Setting;
import org.junit.jupiter.api.Test;

/** The constants of the API are the settings that there are. */
class SettingNamesTest {

    private static List<String> keys() {
        return Arrays.stream(Setting.values()).map(Setting::key).toList();
    }

    @Test
    void settings_areThoseOfThePage() throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "settings.md"));
        List<String> rows = Pattern.compile("^\\| `(\\w+)` \\|", Pattern.MULTILINE)
                .matcher(page)
                .results()
                .map(MatchResult::group)
                .map(row -> row.replaceAll("[|` ]", ""))
                .filter(name -> !name.equals("scheduler")) // of the resource adapter only
                .toList();
        assertThat(keys()).containsExactlyElementsOf(rows);
    }

    @Test
    void settings_areThoseThatAreRead() throws IllegalAccessException {
        for (var field : Settings.class.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers())
                    && !List.of("TYPE", "STORE_PASSWORD").contains(field.getName())) {
                assertThat(keys()).contains((String) field.get(null));
            }
        }
    }

    @Test
    void setting_ofTwoWords_hasANameForEachPlace() {
        assertThat(Setting.TTL_MILLIS.key()).isEqualTo("ttlMillis");
        assertThat(Setting.TTL_MILLIS.property()).isEqualTo("holdfast.ttlMillis");
        assertThat(Setting.TTL_MILLIS.environmentVariable()).isEqualTo("HOLDFAST_TTL_MILLIS");
    }

    @Test
    void settings_haveAMethodEach() {
        assertThat(LockSettings.class.getDeclaredMethods())
                .filteredOn(method -> method.getReturnType() == LockSettings.class
                        && Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers()))
                .extracting(SettingNamesTest::keyOf)
                .containsExactlyInAnyOrderElementsOf(keys().stream()
                        .filter(key -> !key.equals(Setting.NODES.key()))
                        .toList());
    }

    /** Times have their unit in the name only where they are texts. */
    private static String keyOf(Method method) {
        return method.getName() + (method.getParameterTypes()[0] == Duration.class ? "Millis" : "");
    }
}
