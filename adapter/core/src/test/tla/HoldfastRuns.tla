---------------------------- MODULE HoldfastRuns ----------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* What TLC needs beside the protocol: values for constants, and situations that it must have met. *)
EXTENDS Holdfast, TLC

Distinct == [c \in Claims |-> c]

(* The first two claims have drawn the same token. *)
Twins == [c \in Claims |-> IF c = 1 THEN 1 ELSE c - 1]

Alike == Permutations(Nodes)

(* A check that never gets to what is dangerous shows nothing. *)
ASSUME TLCSet(1, {})
Note(situation, met) ==
  \/ situation \in TLCGet(1)
  \/ ~met
  \/ TLCSet(1, TLCGet(1) \union {situation}) /\ PrintT(<<"met", situation>>)

(* Holds in every state; prints each situation when it is met for the first time. *)
Noted ==
  /\ Note("a lease after another one",
       \E c, d \in Claims : c # d /\ Had(c) /\ Had(d))
  /\ Note("two attempts at once",
       \E c, d \in Claims : c # d /\ votes[c] # {} /\ votes[d] # {})
  /\ Note("a lease that was extended",
       \E c \in Claims : state[c] = "held" /\ renewed[c])
  /\ Note("a node that can be healed",
       \E n \in Nodes, c \in Claims :
       Holds(c) /\ renewed[c] /\ memory[n].owner # c /\ Extends(memory[n], quiet[n], c))
  /\ Note("a node that can be healed over the tombstone of an attempt",
       \E n \in Nodes, c \in Claims :
       Holds(c) /\ renewed[c] /\ memory[n].owner # c /\ Extends(memory[n], quiet[n], c) /\ memory[n].last > Token(c))
  /\ Note("an acquisition that comes after its release",
       \E n \in Nodes, c \in Claims :
       state[c] = "over" /\ memory[n].owner = None /\ quiet[n] = 0 /\ memory[n].last = Tombstone(c))
  /\ Note("a renewal that comes after its release",
       \E n \in Nodes, c \in Claims :
       state[c] = "over" /\ renewed[c] /\ memory[n].owner = None /\ quiet[n] = 0 /\ memory[n].lease > Token(c))
  /\ Note("an ended lease that another owner can take",
       \E n \in Nodes, c \in Claims :
       state[c] = "asking" /\ memory[n].owner \notin {None, c} /\ Grants(memory[n], quiet[n], c))
  /\ Note("an attempt that is undone where a lease was before",
       \E n \in Nodes, c \in Claims :
       state[c] = "failed" /\ memory[n].owner = c /\ memory[n].before > 0)
  /\ Note("a lease without validity that nodes still have",
       \E n \in Nodes, c \in Claims :
       state[c] = "held" /\ valid[c] = 0 /\ memory[n].owner = c /\ memory[n].left > 0)
  /\ Note("two tokens out of order",
       \E c, d \in Claims : Rank[c] < Rank[d] /\ state[c] = "asking" /\ Had(d))
  /\ Note("a quarantine that refuses",
       \E n \in Nodes, c \in Claims :
       quiet[n] > 0 /\ state[c] = "asking" /\ ~Grants(memory[n], quiet[n], c) /\ Grants(memory[n], 0, c))
  /\ Note("a renewal in quarantine",
       \E n \in Nodes, c \in Claims :
       quiet[n] > 0 /\ state[c] = "renewing" /\ memory[n].owner = c)
  /\ Note("a lease after a quarantine",
       restarts > 0 /\ (\A n \in Nodes : quiet[n] = 0) /\ \E c \in Claims :
       Holds(c) /\ \A n \in Nodes : memory[n].owner = c)
=============================================================================
