------------------------------ MODULE Readers -------------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* Readers and writers of one lock: see docs/safety.md, "Why readers and writers keep each other out". Messages, time,*)
(* clocks and clients are as in Holdfast. Left out: restarts, which Holdfast has, and a writer that becomes a reader. *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Nodes,        \* the nodes that vote
  Claims,       \* 1..n; tokens are drawn in any order, and a claim has the token 2 * its number
  Writers,      \* the claims that want the lock alone; the others read
  Renewers,     \* the claims that are renewed
  Ttl,          \* for how many ticks a node keeps a lock
  Validity,     \* for how many ticks a client relies on that
  Watched,      \* the nodes whose releases are remembered, see buried
  Mutants       \* names of mistakes that are built in; {} for the protocol as it is

VARIABLES
  memory,       \* what a node has stored, see Empty
  buried,       \* history: the claims of which a watched node has run the release
  state,        \* new, asking, held, renewing, over, failed: see Holdfast
  valid,        \* for how many ticks the client relies on the lease that it has or asks for
  extension,    \* the same for the renewal that is under way
  votes,        \* the nodes that have granted the present request
  renewed       \* whether a renewal was ever sent

vars == <<memory, buried, state, valid, extension, votes, renewed>>

None == 0
Shared == 99    \* stands for the word "readers" where an owner would be

Is(mutant) == mutant \in Mutants
Max(a, b) == IF a > b THEN a ELSE b
Token(c) == 2 * c
Tombstone(c) == Token(c) + 1
Reading == Claims \ Writers
Quorum == Cardinality(Nodes) \div 2 + 1

(* `owner` is a writer, or Shared. `left`: for how many ticks the lock lasts for a writer; `entries`: that of each    *)
(* reader. `graves`: the readers that have released their leases. `base` and `leased`: the last token, and the last   *)
(* one of a lease, before the reading began. `before`, `last` and `lease` are as in Holdfast.                         *)
Empty == [owner |-> None, left |-> 0, entries |-> [c \in Reading |-> 0], graves |-> {}, base |-> 0, leased |-> 0,
          before |-> 0, last |-> 0, lease |-> 0]

NoEntries == [c \in Reading |-> 0]
IsRead(m) == m.owner = Shared
InForce(m) == IF IsRead(m) THEN \E c \in Reading : m.entries[c] > 0 ELSE m.owner # None /\ m.left > 0

(**********************************************************************************************************************)
(* Writers: acquire.lua, renew.lua, release.lua                                                                       *)
(**********************************************************************************************************************)

HeldByOther(m, c) ==
  /\ m.owner \notin {None, c}
  /\ InForce(m)
  /\ ~(Is("writerAdmittedWhileOthersRead") /\ IsRead(m))

Grants(m, c) == ~HeldByOther(m, c) /\ (Token(c) > m.last \/ (m.owner = c /\ Token(c) >= m.last))

Granted(m, c) ==
  [m EXCEPT !.owner = c, !.left = Ttl, !.before = IF m.owner = c THEN @ ELSE m.lease,
            !.last = Token(c), !.lease = Token(c)]

Extends(m, c) == m.owner = c \/ (~HeldByOther(m, c) /\ Token(c) >= m.lease)

Extended(m, c) ==
  LET lease == Max(m.lease, Token(c))
  IN [m EXCEPT !.owner = c, !.left = Ttl, !.before = lease, !.last = Max(@, lease), !.lease = lease]

Released(m, c, held) ==
  LET mine == m.owner = c
      lease == IF held THEN Max(m.lease, Tombstone(c))
               ELSE IF mine /\ m.before < m.lease THEN m.before ELSE m.lease
  IN [m EXCEPT !.owner = IF mine THEN None ELSE @,
               !.left = IF mine THEN 0 ELSE @,
               !.before = IF mine \/ m.owner = None THEN 0 ELSE IF held THEN Max(@, Tombstone(c)) ELSE @,
               !.last = Max(@, Tombstone(c)),
               !.lease = lease]

(**********************************************************************************************************************)
(* Readers: acquire_reading.lua, renew_reading.lua, join_reading.lua, release_reading.lua                             *)
(**********************************************************************************************************************)

HeldByWriter(m) ==
  /\ ~IsRead(m)
  /\ InForce(m)
  /\ ~Is("readerAdmittedWhileTheLockIsHeldAlone")

(* join_reading.lua: records the reader. *)
Joined(m, c, base, leased, before, entries, graves) ==
  LET lease == Max(m.lease, Token(c))
  IN [owner |-> Shared, left |-> 0, entries |-> [entries EXCEPT ![c] = Ttl], graves |-> graves,
      base |-> base, leased |-> leased, before |-> before, last |-> Max(m.last, lease), lease |-> lease]

(* A reader's token is larger than the last one before the reading began. *)
Admits(m, c) ==
  /\ ~HeldByWriter(m)
  /\ \/ Token(c) > (IF IsRead(m) THEN m.base ELSE m.last)
     \/ Is("readersTokenNotCompared")
  /\ c \notin m.graves \/ Is("readersGraveMissing")

Admitted(m, c) ==
  IF IsRead(m)
  THEN Joined(m, c, m.base, m.leased, IF InForce(m) THEN m.before ELSE m.lease, m.entries, m.graves)
  ELSE Joined(m, c, m.last, m.lease, m.lease, NoEntries, {})

IsIn(m, c) == IsRead(m) /\ m.entries[c] > 0

ExtendsReading(m, c) ==
  \/ IsIn(m, c)
  \/ /\ ~HeldByWriter(m)
     /\ Token(c) >= (IF IsRead(m) THEN m.leased ELSE m.lease)
     /\ c \notin m.graves \/ Is("readersGraveMissing")

ExtendedReading(m, c) ==
  LET lease == Max(m.lease, Token(c))
  IN IF IsRead(m)
     THEN Joined(m, c, m.base, m.leased, lease, m.entries, m.graves)
     ELSE Joined(m, c, m.last, m.lease, lease, NoEntries, {})

ReleasedReading(m, c, held) ==
  LET entries == IF IsRead(m) THEN [m.entries EXCEPT ![c] = 0] ELSE m.entries
      others == \E d \in Reading : entries[d] > 0
      lease == IF held THEN Max(m.lease, Tombstone(c)) ELSE m.lease
      last == Max(m.last, Tombstone(c))
      all == Is("releaseOfOneReaderForAll")
  IN IF ~IsRead(m)
     THEN [m EXCEPT !.last = last, !.lease = lease,
                    !.before = IF held /\ m.owner # None THEN Max(@, Tombstone(c)) ELSE @]
     ELSE IF others /\ ~all
     THEN [m EXCEPT !.entries = entries, !.graves = @ \union {c}, !.last = last, !.lease = lease,
                    !.before = IF held THEN Max(@, Tombstone(c)) ELSE @]
     ELSE [m EXCEPT !.owner = None, !.entries = NoEntries, !.graves = {}, !.base = 0, !.leased = 0, !.before = 0,
                    !.last = last,
                    !.lease = IF ~held /\ IsIn(m, c) /\ m.before < lease THEN m.before ELSE lease]

(**********************************************************************************************************************)
(* Steps                                                                                                              *)
(**********************************************************************************************************************)

Init ==
  /\ memory = [n \in Nodes |-> Empty]
  /\ buried = [n \in Nodes |-> {}]
  /\ state = [c \in Claims |-> "new"]
  /\ valid = [c \in Claims |-> 0]
  /\ extension = [c \in Claims |-> 0]
  /\ votes = [c \in Claims |-> {}]
  /\ renewed = [c \in Claims |-> FALSE]

nodesUnchanged == UNCHANGED <<memory, buried>>
Had(c) == state[c] \in {"held", "renewing", "over"}
Holds(c) == state[c] \in {"held", "renewing"} /\ valid[c] > 0

(* A client begins to ask, gets the lock, gives up, renews, has it extended, or ends its lease: see Holdfast. *)
Client(c) ==
  /\ \/ /\ state[c] = "new"
        /\ state' = [state EXCEPT ![c] = "asking"]
        /\ valid' = [valid EXCEPT ![c] = Validity]
        /\ UNCHANGED <<extension, votes, renewed>>
     \/ /\ state[c] = "asking" /\ Cardinality(votes[c]) >= Quorum /\ valid[c] > 0
        /\ state' = [state EXCEPT ![c] = "held"]
        /\ votes' = [votes EXCEPT ![c] = {}]
        /\ UNCHANGED <<valid, extension, renewed>>
     \/ /\ state[c] \in {"asking", "held", "renewing"}
        /\ state' = [state EXCEPT ![c] = IF @ = "asking" THEN "failed" ELSE "over"]
        /\ valid' = [valid EXCEPT ![c] = 0]
        /\ extension' = [extension EXCEPT ![c] = 0]
        /\ votes' = [votes EXCEPT ![c] = {}]
        /\ UNCHANGED renewed
     \/ /\ Holds(c) /\ c \in Renewers
        /\ state' = [state EXCEPT ![c] = "renewing"]
        /\ extension' = [extension EXCEPT ![c] = Validity]
        /\ votes' = [votes EXCEPT ![c] = {}]
        /\ renewed' = [renewed EXCEPT ![c] = TRUE]
        /\ UNCHANGED valid
     \/ /\ state[c] = "renewing" /\ Cardinality(votes[c]) >= Quorum /\ valid[c] > 0
        /\ state' = [state EXCEPT ![c] = "held"]
        /\ valid' = [valid EXCEPT ![c] = Max(@, extension[c])]
        /\ extension' = [extension EXCEPT ![c] = 0]
        /\ votes' = [votes EXCEPT ![c] = {}]
        /\ UNCHANGED renewed
  /\ nodesUnchanged

Store(n, m, more) ==
  /\ m # memory[n] \/ more
  /\ memory' = [memory EXCEPT ![n] = m]
  /\ UNCHANGED <<state, valid, extension, renewed>>

Vote(n, c, when) == votes' = IF state[c] = when THEN [votes EXCEPT ![c] = @ \union {n}] ELSE votes

RunAcquire(n, c) ==
  /\ state[c] # "new"
  /\ IF c \in Writers THEN Grants(memory[n], c) ELSE Admits(memory[n], c)
  /\ Store(n, IF c \in Writers THEN Granted(memory[n], c) ELSE Admitted(memory[n], c),
           state[c] = "asking" /\ n \notin votes[c])
  /\ Vote(n, c, "asking")
  /\ UNCHANGED buried

RunRenew(n, c) ==
  /\ renewed[c]
  /\ IF c \in Writers THEN Extends(memory[n], c) ELSE ExtendsReading(memory[n], c)
  /\ Store(n, IF c \in Writers THEN Extended(memory[n], c) ELSE ExtendedReading(memory[n], c),
           state[c] = "renewing" /\ n \notin votes[c])
  /\ Vote(n, c, "renewing")
  /\ UNCHANGED buried

RunRelease(n, c) ==
  /\ state[c] \in {"over", "failed"}
  /\ LET held == state[c] = "over" IN
     Store(n, IF c \in Writers THEN Released(memory[n], c, held) ELSE ReleasedReading(memory[n], c, held),
              n \in Watched)
  /\ buried' = IF n \in Watched THEN [buried EXCEPT ![n] = @ \union {c}] ELSE buried
  /\ UNCHANGED votes

Less(timer) == IF timer > 0 THEN timer - 1 ELSE 0

Tick ==
  /\ \/ \E n \in Nodes : InForce(memory[n])
     \/ \E c \in Claims : valid[c] > 0 \/ extension[c] > 0
  /\ memory' = [n \in Nodes |-> [memory[n] EXCEPT !.left = Less(@), !.entries = [c \in Reading |-> Less(@[c])]]]
  /\ valid' = [c \in Claims |-> Less(valid[c])]
  /\ extension' = [c \in Claims |-> Less(extension[c])]
  /\ UNCHANGED <<buried, state, votes, renewed>>

Next ==
  \/ Tick
  \/ \E c \in Claims : Client(c)
  \/ \E n \in Nodes, c \in Claims : RunAcquire(n, c) \/ RunRenew(n, c) \/ RunRelease(n, c)

Spec == Init /\ [][Next]_vars

(**********************************************************************************************************************)
(* What must hold                                                                                                     *)
(**********************************************************************************************************************)

WriterIsAlone == \A c \in Writers, d \in Claims : Holds(c) /\ Holds(d) => c = d

NothingComesBack ==
  \A n \in Nodes : \A c \in buried[n] : memory[n].owner # c /\ (c \in Reading => ~IsIn(memory[n], c))

(* A writer's token is larger than all before it, and a reader's than those of all writers before it. *)
TokensGrow ==
  [][\A c, d \in Claims : (state[c] = "asking" /\ state'[c] = "held" /\ Had(d) /\ c # d /\ {c, d} \cap Writers # {}) =>
       Token(d) < Token(c)]_vars

FencesNeverFall == [][\A n \in Nodes : memory'[n].last >= memory[n].last]_vars
=============================================================================
