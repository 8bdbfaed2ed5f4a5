------------------------------ MODULE VoterRuns -----------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* What TLC needs beside the voter: values for constants, and situations that it must have met. *)
EXTENDS Voter, TLC

Once == <<1, 2>>
ThereAndBack == <<1, 2, 1>>
EachItsOwn == [c \in Clients |-> {c}]
EveryProcess == [c \in Clients |-> {1, 2}]
Symmetric == Permutations(Sentinels)

ASSUME TLCSet(1, {})
Note(situation, met) ==
  \/ situation \in TLCGet(1)
  \/ ~met
  \/ TLCSet(1, TLCGet(1) \union {situation}) /\ PrintT(<<"met", situation>>)

(* Holds in every state; prints each situation when it is met for the first time. *)
Noted ==
  /\ Note("two clients that use different processes",
       \E c, d \in Clients : term[c] > 0 /\ term[d] > 0 /\ Process(c) # Process(d) /\ Usable(c))
  /\ Note("two processes that have the lock for different clients",
       \E p, q \in Processes : memory[p].left > 0 /\ memory[q].left > 0 /\ memory[p].owner # memory[q].owner)
  /\ Note("a vote that counts no more",
       \E c \in Clients : state[c] = "asking" /\ term[c] \in votes[c] /\ counts[c] = 0 /\ valid[c] > 0)
  /\ Note("a process that must not be asked yet",
       \E c \in Clients : term[c] > 1 /\ unsettled[c] > 0 /\ ~Marked(c))
  /\ Note("a lease of the next process",
       \E c \in Clients : Holds(c) /\ asked[c] = {2})
  /\ Note("a lease that the next process has extended",
       \E c \in Clients :
         /\ state[c] = "renewing" /\ asked[c] = {1} /\ 2 \in votes[c]
         /\ term[c] = 2 /\ Count(c) /\ valid[c] > 0)
  /\ Note("a lease from each process",
       \E c, d \in Clients : state[c] = "over" /\ asked[c] = {1} /\ Holds(d) /\ asked[d] = {2})
=============================================================================
