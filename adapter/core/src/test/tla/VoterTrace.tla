----------------------------- MODULE VoterTrace -----------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* Follows what the real classes and scripts did in the simulation where one node fails over behind three Sentinels:  *)
(* see HoldfastTrace, which does the same where nodes stay. VoterTraceTest writes the module Traces.                  *)
(*                                                                                                                    *)
(* A client of the model is one attempt of a real client, or a real client that makes no attempt: it has asked the    *)
(* Sentinels when the real one has, so a question of a real client is one of several clients here, one after another. *)
EXTENDS Voter, Following

(* Values for constants and definitions, as in HoldfastTrace. *)
TracedSentinels == 1..3
TracedClients == 1..MostClaims
TracedInterest == [c \in TracedClients |-> {1, 2}]
TracedPlaces == [t \in 1..20 |-> IF t % 2 = 1 THEN 1 ELSE 2]
TracedValidity == TracedTtl - TracedDrift
TracedTtls == TracedValidity..TracedTtl

TracedKinds == <<
  "Promote", "Promote, with the lock", "Promote, without the lock", "Learn", "Question", "Hear",
  "Agree, as before", "Agree, a new term", "Look", "Ask", "Read", "Get", "GiveUp", "Renew", "Extend", "End", "Tick",
  "RunAcquire", "RunAcquire, the lease of another client has ended", "RunAcquire, once more",
  "RunAcquire, given up before", "RunAcquire, by a former primary", "RunRenew", "RunRenew, by the next primary",
  "RunRelease", "RunRelease, by a former primary" >>

(**********************************************************************************************************************)
(* Steps                                                                                                              *)
(**********************************************************************************************************************)

AllLater(timers, k) == [i \in DOMAIN timers |-> Later(timers[i], k)]

Pass(k) ==
  /\ memory' = [p \in Processes |-> [memory[p] EXCEPT !.left = Later(@, k)]]
  /\ quiet' = AllLater(quiet, k)
  /\ fresh' = AllLater(fresh, k)
  /\ counts' = AllLater(counts, k)
  /\ unsettled' = AllLater(unsettled, k)
  /\ valid' = AllLater(valid, k)
  /\ extension' = AllLater(extension, k)
  /\ UNCHANGED <<witnesses, mark, place, heard, epoch, term, asked, sent, votes, read, state>>
  /\ Counted("Tick")

(* A process has the lock for an owner, e[4], and for so long, e[5]. The key of a lease that has ended may stay.      *)
Has(p, e) == IF e[5] = 0 THEN memory'[p].left = 0 ELSE memory'[p] = [owner |-> e[4], left |-> e[5]]

Promoted(p, e) ==
  /\ Promote
  /\ Places[promoted'] = p
  /\ Has(p, e)
  /\ Counted(IF e[5] > 0 THEN "Promote, with the lock"
             ELSE IF memory[Places[promoted]].left > 0 THEN "Promote, without the lock"
             ELSE "Promote")

(* e[3]: the term. e[4]: for how long the process is in quarantine, as its scripts will see it. Any client may look.  *)
Looked(p, e) ==
  /\ e[4] >= TracedQuarantine
  /\ Places[e[3]] = p
  /\ \E c \in Clients : term[c] = e[3] /\ LookFor(c, e[4])
  /\ Counted("Look")

AcquiredKind(p, c) ==
  IF state[c] # "asking" THEN "RunAcquire, given up before"
  ELSE IF p # Places[promoted] THEN "RunAcquire, by a former primary"
  ELSE IF memory[p].owner = c THEN "RunAcquire, once more"
  ELSE IF memory[p].owner # None THEN "RunAcquire, the lease of another client has ended"
  ELSE "RunAcquire"

Ran(p, c, e) ==
  /\ \/ /\ e[1] = "runAcquire"
        /\ e[5] \in TracedTtls
        /\ \E t \in asked[c] : Places[t] = p /\ RunAcquireFor(c, t, e[5])
        /\ Counted(AcquiredKind(p, c))
     \/ /\ e[1] = "runRenew"
        /\ e[5] \in TracedTtls
        /\ \E t \in sent[c] : Places[t] = p /\ RunRenewFor(c, t, e[5])
        /\ Counted(IF \E t \in asked[c] : Places[t] # p THEN "RunRenew, by the next primary" ELSE "RunRenew")
     \/ /\ e[1] \in {"runRelease", "runUndo", "runUndoInOrder"}
        /\ RunRelease(c, p)
        /\ Counted(IF p = Places[promoted] THEN "RunRelease" ELSE "RunRelease, by a former primary")
  /\ Has(p, e)

(* e[3]: for how long the client relies on the lease from now on; it may be shorter than the model allows.            *)
OfClient(e) ==
  LET c == e[2]
  IN \/ e[1] = "question" /\ Question(c, e[3]) /\ Counted("Question")
     \/ e[1] = "hear" /\ Hear(c, e[3]) /\ Counted("Hear")
     \/ e[1] = "agree" /\ Agree(c) /\ term'[c] = e[3]
        /\ Counted(IF term'[c] = term[c] THEN "Agree, as before" ELSE "Agree, a new term")
     \/ e[1] = "ask" /\ Ask(c) /\ Counted("Ask")
     \/ e[1] = "read" /\ Read(c) /\ Counted("Read")
     \/ e[1] = "get" /\ Get(c) /\ e[3] <= valid'[c] /\ Counted("Get")
     \/ e[1] = "giveUp" /\ End(c) /\ Counted("GiveUp")
     \/ e[1] = "renew" /\ Renew(c) /\ Counted("Renew")
     \/ e[1] = "extend" /\ Extend(c) /\ e[3] <= valid'[c] /\ Counted("Extend")
     \/ e[1] = "rely" /\ Holds(c) /\ UNCHANGED vars
     \/ e[1] = "end" /\ End(c) /\ Counted("End")

Follow(e) ==
  IF Len(e) = 1 THEN Pass(e[1])
  ELSE IF e[1] = "promote" THEN Promoted(e[2], e)
  ELSE IF e[1] = "learn" THEN Learn(e[2]) /\ named'[e[2]] = e[3] /\ Counted("Learn")
  ELSE IF e[1] = "look" THEN Looked(e[2], e)
  ELSE IF e[1] \in {"runAcquire", "runRenew", "runRelease", "runUndo", "runUndoInOrder"} THEN Ran(e[2], e[3], e)
  ELSE OfClient(e)

Trace == Init /\ BeginTraces /\ [][Continue(Follow(Recorded), UNCHANGED vars)]_<<vars, run, at>>
=============================================================================
