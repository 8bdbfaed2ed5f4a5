----------------------------- MODULE ReadersRuns ----------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* What TLC needs beside readers and writers: values for constants, and situations that it must have met. *)
EXTENDS Readers, TLC

Distinct == [c \in Claims |-> c]

(* Two readers have drawn the same token, and the writer a larger one. *)
Twins == [c \in Claims |-> IF c \in Writers THEN 2 ELSE 1]

Alike == Permutations(Nodes)

ASSUME TLCSet(1, {})
Note(situation, met) ==
  \/ situation \in TLCGet(1)
  \/ ~met
  \/ TLCSet(1, TLCGet(1) \union {situation}) /\ PrintT(<<"met", situation>>)

(* Holds in every state; prints each situation when it is met for the first time. *)
Noted ==
  /\ Note("two readers at once",
       \E c, d \in Reading : c # d /\ Holds(c) /\ Holds(d))
  /\ Note("a writer after a reader",
       \E c \in Reading, d \in Writers : state[c] = "over" /\ Holds(d))
  /\ Note("a reader after a writer",
       \E c \in Reading, d \in Writers : Holds(c) /\ state[d] = "over")
  /\ Note("a reader with a smaller token than another one before it",
       \E c, d \in Reading : Token(c) < Token(d) /\ state[c] = "asking" /\ Had(d) /\
         \E n \in Nodes : IsIn(memory[n], d) /\ Admits(memory[n], c))
  /\ Note("a reading that goes on though all leases of it have ended",
       \E n \in Nodes, c \in Reading :
         /\ state[c] = "asking" /\ IsRead(memory[n]) /\ ~InForce(memory[n])
         /\ Admits(memory[n], c) /\ Token(c) < memory[n].last)
  /\ Note("a writer that is refused by a reader",
       \E n \in Nodes, c \in Writers :
         state[c] = "asking" /\ IsRead(memory[n]) /\ HeldByOther(memory[n], c) /\ Token(c) > memory[n].last)
  /\ Note("a reader that is refused by a writer",
       \E n \in Nodes, c \in Reading :
         state[c] = "asking" /\ HeldByWriter(memory[n]) /\ Token(c) > memory[n].last)
  /\ Note("a late request that a grave refuses",
       \E n \in Nodes, c \in Reading : c \in memory[n].graves /\ Token(c) > memory[n].base)
  /\ Note("a reader that can be healed",
       \E n \in Nodes, c \in Reading :
         Holds(c) /\ renewed[c] /\ ~IsIn(memory[n], c) /\ ExtendsReading(memory[n], c))
=============================================================================
