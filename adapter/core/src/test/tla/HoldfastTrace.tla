---------------------------- MODULE HoldfastTrace ---------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* Follows what the real classes and scripts did in the simulation: each of their steps must be a step of the model.  *)
(* The module Traces is written by TraceTest, and has what was recorded.                                              *)
(*                                                                                                                    *)
(* A trace is a sequence of steps. Each names the action, and what was seen after it: of a node its memory, of a      *)
(* client for how long it relies on its lease. Nothing is left to guess, so each state has one successor at the most. *)
(* A trace that cannot be followed to its end is reported with the step at which that is so.                          *)
(*                                                                                                                    *)
(* Some steps of the code are none of the model, which leaves out what changes nothing: see Again. Messages need no   *)
(* steps: see Holdfast.tla.                                                                                           *)
EXTENDS Holdfast, Following

(* Values for constants and definitions. All traces have the same nodes here; those that a run does not have do       *)
(* nothing. Tokens are as they were: their order, and which is next to which.                                         *)
TracedNodes == 1..5
TracedClaims == 1..MostClaims
TracedRank == [c \in TracedClaims |-> c] \* not asked for
TracedTtls == (TracedTtl - TracedDrift)..TracedTtl
TracedToken(c) == Traces[run].tokens[c]
TracedTombstone(c) == TracedToken(c) + 1
TracedQuorum == Traces[run].nodes \div 2 + 1

TracedKinds == <<
  "Draw", "Ask", "Get", "GiveUp", "Renew", "Extend", "End", "Tick", "Expire", "Restart, memory lost",
  "Restart, memory kept", "Look", "RunAcquire", "RunAcquire, the lease of another owner has ended",
  "RunAcquire, once more", "RunAcquire, given up before", "RunRenew", "RunRenew, heals", "RunRenew, in quarantine",
  "RunRelease", "RunRelease, another owner has it", "RunUndo", "RunUndoInOrder", "RunUndoInOrder, a lease was before" >>

(**********************************************************************************************************************)
(* Steps                                                                                                              *)
(**********************************************************************************************************************)

Pass(k) ==
  /\ memory' = [n \in Nodes |-> [memory[n] EXCEPT !.left = Later(@, k)]]
  /\ quiet' = [n \in Nodes |-> IF quiet[n] = Unseen THEN Unseen ELSE Later(quiet[n], k)]
  /\ valid' = [c \in Claims |-> Later(valid[c], k)]
  /\ extension' = [c \in Claims |-> Later(extension[c], k)]
  /\ UNCHANGED <<buried, state, votes, renewed, restarts>>
  /\ Counted("Tick")

Seen(e) == [owner |-> e[4], left |-> e[5], before |-> e[6], last |-> e[7], lease |-> e[8]]

(* A node has run once more what it had run, and nothing changes: the model leaves that out. *)
Again(n, e) == memory[n] = Seen(e) /\ UNCHANGED vars

Acquired(n, c, e) ==
  \/ /\ e[5] \in Ttls
     /\ AcquireFor(n, c, e[5])
     /\ Counted(IF state[c] # "asking" THEN "RunAcquire, given up before"
                ELSE IF memory[n].owner = c THEN "RunAcquire, once more"
                ELSE IF memory[n].owner # None THEN "RunAcquire, the lease of another owner has ended"
                ELSE "RunAcquire")
  \/ /\ state[c] \notin {"new", "drawn"}
     /\ state[c] = "asking" => n \in votes[c]
     /\ Grants(memory[n], quiet[n], c)
     /\ Again(n, e)

Renewed(n, c, e) ==
  \/ /\ e[5] \in Ttls
     /\ RenewFor(n, c, e[5])
     /\ Counted(IF memory[n].owner # c THEN "RunRenew, heals"
                ELSE IF quiet[n] > 0 THEN "RunRenew, in quarantine"
                ELSE "RunRenew")
  \/ /\ renewed[c]
     /\ state[c] = "renewing" => n \in votes[c]
     /\ Extends(memory[n], quiet[n], c)
     /\ Again(n, e)

(* A node that has nothing has nothing to forget: the model leaves that restart out, and its quarantine. *)
Restarted(n, e) ==
  \/ /\ Restart(n)
     /\ memory'[n] = Seen(e)
     /\ Counted(IF memory'[n] = Empty THEN "Restart, memory lost" ELSE "Restart, memory kept")
  \/ memory[n] = Empty /\ Again(n, e)

(* e[4]: for how long the node is in quarantine, as its scripts will see it. *)
Looked(n, e) ==
  /\ \/ Look(n) /\ Counted("Look")
     \/ quiet[n] # Unseen /\ UNCHANGED vars
  /\ e[4] >= quiet'[n]

OfNode(e) ==
  LET n == e[2]
      c == e[3]
  IN \/ e[1] = "look" /\ Looked(n, e)
     \/ /\ \/ e[1] = "runAcquire" /\ Acquired(n, c, e)
           \/ e[1] = "runRenew" /\ Renewed(n, c, e)
           \/ e[1] = "runRelease" /\ RunRelease(n, c)
              /\ Counted(IF memory[n].owner \in {None, c} THEN "RunRelease" ELSE "RunRelease, another owner has it")
           \/ e[1] = "runUndo" /\ RunUndo(n, c) /\ Counted("RunUndo")
           \/ e[1] = "runUndoInOrder" /\ RunUndoInOrder(n, c)
              /\ Counted(IF memory[n].before > 0 THEN "RunUndoInOrder, a lease was before" ELSE "RunUndoInOrder")
           \/ e[1] = "expire" /\ Expire(n) /\ Counted("Expire")
           \/ e[1] = "restart" /\ Restarted(n, e)
        /\ memory'[n] = Seen(e)

(* e[3]: for how long the client relies on the lease from now on; it may be shorter than the model allows. e[4]: how  *)
(* long ago the token was drawn. The model leaves out claims that are sent later (see Prompt); here they are sent,    *)
(* and must not be counted.                                                                                           *)
OfClient(e) ==
  LET c == e[2]
  IN \/ e[1] = "draw" /\ Draw(c) /\ Counted("Draw")
     \/ e[1] = "ask" /\ Ask(c) /\ Counted("Ask")
     \/ e[1] = "get" /\ Get(c) /\ e[3] <= valid'[c] /\ e[4] < Quarantine /\ Counted("Get")
     \/ e[1] = "giveUp" /\ GiveUp(c) /\ Counted("GiveUp")
     \/ e[1] = "renew" /\ Renew(c) /\ Counted("Renew")
     \/ e[1] = "extend" /\ Extend(c) /\ e[3] <= valid'[c] /\ Counted("Extend")
     \/ e[1] = "rely" /\ Holds(c) /\ UNCHANGED vars
     \/ e[1] = "end" /\ End(c) /\ Counted("End")

OfClients == {"draw", "ask", "get", "giveUp", "renew", "extend", "rely", "end"}

Follow(e) ==
  IF Len(e) = 1 THEN Pass(e[1])
  ELSE IF e[1] \in OfClients THEN OfClient(e)
  ELSE OfNode(e)

Trace == Init /\ BeginTraces /\ [][Continue(Follow(Recorded), UNCHANGED vars)]_<<vars, run, at>>
=============================================================================
