---------------------------- MODULE ReadersTrace ----------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* Follows what the real classes and scripts did in the simulation where callers of one lock read and write: see      *)
(* HoldfastTrace, which does the same where all want the lock alone. ReadersTraceTest writes the module Traces.       *)
(*                                                                                                                    *)
(* Tokens are drawn in any order in Readers.tla, so to draw one is no step there. Nodes also forget graves, a TTL and *)
(* more after the release: a run in which others read for so long, and one joins them then, would be refused.         *)
EXTENDS Readers, Following

(* Values for constants and definitions, as in HoldfastTrace. Readers have the odd numbers, and writers the even ones.*)
(* -1 stands where an owner would be while a lock is read.                                                            *)
TracedNodes == 1..5
TracedClaims == 1..MostClaims
TracedRank == [c \in TracedClaims |-> c] \* not asked for
TracedWriters == {c \in TracedClaims : c % 2 = 0}
TracedValidity == TracedTtl - TracedDrift
TracedTtls == TracedValidity..TracedTtl
TracedToken(c) == Traces[run].tokens[c]
TracedTombstone(c) == TracedToken(c) + 1
TracedQuorum == Traces[run].nodes \div 2 + 1
TracedShared == -1

TracedKinds == <<
  "Ask", "Get", "Get, to read", "GiveUp", "Renew", "Extend", "End", "Tick", "Expire", "Expire, after readers",
  "RunAcquire, to write", "RunAcquire, to write after readers", "RunAcquire, to read",
  "RunAcquire, to read beside others", "RunAcquire, to read though all others have ended",
  "RunAcquire, to read with a smaller token", "RunAcquire, given up before", "RunRenew, to write",
  "RunRenew, to read", "RunRenew, heals", "RunRelease, to write", "RunRelease, to read", "RunRelease, others read",
  "RunRelease, while a writer has it", "RunUndo, to write", "RunUndo, to read", "RunUndoInOrder, to write",
  "RunUndoInOrder, to read", "RunUndoInOrder, others read" >>

(**********************************************************************************************************************)
(* Steps                                                                                                              *)
(**********************************************************************************************************************)

Pass(k) ==
  /\ memory' = [n \in Nodes |->
       [memory[n] EXCEPT !.left = Later(@, k), !.entries = [c \in Reading |-> Later(memory[n].entries[c], k)]]]
  /\ valid' = [c \in Claims |-> Later(valid[c], k)]
  /\ extension' = [c \in Claims |-> Later(extension[c], k)]
  /\ UNCHANGED <<buried, state, votes, renewed>>
  /\ Counted("Tick")

(* e[11]: pairs of a reader and for how long its lease lasts. *)
Listed(e) == IF e[4] = Shared THEN {pair[1] : pair \in e[11]} ELSE {}

Seen(e) ==
  IF e[4] # Shared THEN Alone(e[4], e[5], e[6], e[7], e[8])
  ELSE [owner |-> Shared, left |-> 0,
        entries |-> [c \in Reading |-> IF c \in Listed(e) THEN (CHOOSE pair \in e[11] : pair[1] = c)[2] ELSE 0],
        listed |-> Listed(e), graves |-> e[12], base |-> e[9], leased |-> e[10],
        before |-> e[6], last |-> e[7], lease |-> e[8]]

(* A node has run once more what it had run, and nothing changes: the model leaves that out. *)
Again(n, e) == memory[n] = Seen(e) /\ UNCHANGED vars

(* For how long the node keeps the lock from now on, for this claim. *)
Kept(c, e) == IF c \in Listed(e) THEN (CHOOSE pair \in e[11] : pair[1] = c)[2] ELSE e[5]

(* Which entries were deleted on the way: those that are no longer there. That of the reader itself may be there      *)
(* again, so both are tried: what the lock says of the tokens shows which of them it was.                             *)
Sweeps(n, c, e) ==
  LET ended == Ended(memory[n])
      gone == ended \ Listed(e)
  IN IF c \in Writers THEN {{}} ELSE {gone \ {c}, gone \union (ended \intersect {c})}

Beside(n, c) == \E d \in Reading \ {c} : IsIn(memory[n], d)

AcquiredKind(n, c) ==
  LET m == memory[n] IN
  IF state[c] # "asking" THEN "RunAcquire, given up before"
  ELSE IF c \in Writers THEN IF IsRead(m) THEN "RunAcquire, to write after readers" ELSE "RunAcquire, to write"
  ELSE IF ~IsRead(m) THEN "RunAcquire, to read"
  ELSE IF ~InForce(m) THEN "RunAcquire, to read though all others have ended"
  ELSE IF Token(c) < m.last THEN "RunAcquire, to read with a smaller token"
  ELSE "RunAcquire, to read beside others"

Acquired(n, c, e) ==
  \/ /\ Kept(c, e) \in TracedTtls
     /\ \E swept \in Sweeps(n, c, e) : AcquireFor(n, c, Kept(c, e), swept)
     /\ Counted(AcquiredKind(n, c))
  \/ /\ state[c] # "new"
     /\ state[c] = "asking" => n \in votes[c]
     /\ IF c \in Writers THEN Grants(memory[n], c) ELSE Admits(memory[n], c)
     /\ Again(n, e)

Renewed(n, c, e) ==
  \/ /\ Kept(c, e) \in TracedTtls
     /\ \E swept \in Sweeps(n, c, e) : RenewFor(n, c, Kept(c, e), swept)
     /\ Counted(IF c \in Writers THEN "RunRenew, to write"
                ELSE IF IsIn(memory[n], c) THEN "RunRenew, to read" ELSE "RunRenew, heals")
  \/ /\ renewed[c]
     /\ state[c] = "renewing" => n \in votes[c]
     /\ IF c \in Writers THEN Extends(memory[n], c) ELSE ExtendsReading(memory[n], c)
     /\ Again(n, e)

ReleasedKind(n, c) ==
  IF c \in Writers THEN "RunRelease, to write"
  ELSE IF Beside(n, c) THEN "RunRelease, others read"
  ELSE IF memory[n].owner \in Writers THEN "RunRelease, while a writer has it"
  ELSE "RunRelease, to read"

OfNode(e) ==
  LET n == e[2]
      c == e[3]
  IN /\ \/ e[1] = "runAcquire" /\ Acquired(n, c, e)
        \/ e[1] = "runRenew" /\ Renewed(n, c, e)
        \/ /\ e[1] = "runRelease"
           /\ \E swept \in Sweeps(n, c, e) : ReleaseFor(n, c, swept)
           /\ Counted(ReleasedKind(n, c))
        \/ /\ e[1] = "runUndo"
           /\ \E swept \in Sweeps(n, c, e) : UndoFor(n, c, swept)
           /\ Counted(IF c \in Writers THEN "RunUndo, to write" ELSE "RunUndo, to read")
        \/ /\ e[1] = "runUndoInOrder"
           /\ \E swept \in Sweeps(n, c, e) : UndoInOrderFor(n, c, swept)
           /\ Counted(IF c \in Writers THEN "RunUndoInOrder, to write"
                      ELSE IF Beside(n, c) THEN "RunUndoInOrder, others read" ELSE "RunUndoInOrder, to read")
        \/ /\ e[1] = "expire"
           /\ Expire(n)
           /\ Counted(IF IsRead(memory[n]) THEN "Expire, after readers" ELSE "Expire")
     /\ memory'[n] = Seen(e)

(* e[3]: for how long the client relies on the lease from now on; it may be shorter than the model allows. *)
OfClient(e) ==
  LET c == e[2]
  IN \/ e[1] = "draw" /\ UNCHANGED vars
     \/ e[1] = "ask" /\ Ask(c) /\ Counted("Ask")
     \/ e[1] = "get" /\ Get(c) /\ e[3] <= valid'[c] /\ Counted(IF c \in Writers THEN "Get" ELSE "Get, to read")
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
