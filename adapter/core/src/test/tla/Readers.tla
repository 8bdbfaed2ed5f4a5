------------------------------ MODULE Readers -------------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* Readers and writers of one lock: see docs/safety.md, "Why readers and writers keep each other out". Messages, time,*)
(* clocks and clients are as in Holdfast. Left out: restarts, which Holdfast has, a writer that becomes a reader, and *)
(* that a grave ends: it stays for as long as what is under way of its reader may last.                               *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Nodes,        \* the nodes that vote
  Claims,       \* 1..n
  Rank,         \* which token a claim has, as in Holdfast; tokens are drawn in any order
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
Token(c) == 2 * Rank[c]
Tombstone(c) == Token(c) + 1
Reading == Claims \ Writers
Quorum == Cardinality(Nodes) \div 2 + 1

(* `owner` is a writer, or Shared. `left`: for how many ticks the lock lasts for a writer; `entries`: that of each    *)
(* reader. `listed`: the readers that have an entry, which lingers when their lease has ended, as keys do. `graves`:  *)
(* the readers that have released their leases. `base` and `leased`: the last token, and the last one of a lease,     *)
(* before the reading began. `before`, `last` and `lease` are as in Holdfast.                                         *)
NoEntries == [c \in Reading |-> 0]

(* Nobody reads: `owner` has the lock alone, or is None. *)
Alone(owner, left, before, last, lease) ==
  [owner |-> owner, left |-> left, entries |-> NoEntries, listed |-> {}, graves |-> {}, base |-> 0, leased |-> 0,
   before |-> before, last |-> last, lease |-> lease]

Free(last, lease) == Alone(None, 0, 0, last, lease)
Empty == Free(0, 0)

IsRead(m) == m.owner = Shared
InForce(m) == IF IsRead(m) THEN \E c \in m.listed : m.entries[c] > 0 ELSE m.owner # None /\ m.left > 0

(**********************************************************************************************************************)
(* Writers: acquire.lua, renew.lua, release.lua                                                                       *)
(**********************************************************************************************************************)

(* A lease that has ended is overwritten, and so is a reading of which all leases have ended. *)
HeldByOther(m, c) ==
  /\ m.owner \notin {None, c}
  /\ InForce(m)
  /\ ~(Is("writerAdmittedWhileOthersRead") /\ IsRead(m))

Grants(m, c) == ~HeldByOther(m, c) /\ (Token(c) > m.last \/ (m.owner = c /\ Token(c) >= m.last))

Granted(m, c, ttl) ==
  IF m.owner = c
  THEN Alone(c, Max(m.left, ttl), m.before, Token(c), Token(c))
  ELSE Alone(c, ttl, m.lease, Token(c), Token(c))

Extends(m, c) == m.owner = c \/ (~HeldByOther(m, c) /\ Token(c) >= m.lease)

Extended(m, c, ttl) ==
  LET lease == Max(m.lease, Token(c))
  IN Alone(c, IF m.owner = c THEN Max(m.left, ttl) ELSE ttl, lease, Max(m.last, lease), lease)

(* `held` and `tombstone` are as in Holdfast. *)
Released(m, c, held, tombstone) ==
  LET mine == m.owner = c
      lease == IF held THEN Max(m.lease, tombstone)
               ELSE IF mine /\ m.before < m.lease THEN m.before ELSE m.lease
  IN [m EXCEPT !.owner = IF mine THEN None ELSE @,
               !.left = IF mine THEN 0 ELSE @,
               !.before = IF mine \/ m.owner = None THEN 0 ELSE IF held THEN Max(@, tombstone) ELSE @,
               !.last = Max(@, tombstone),
               !.lease = lease]

(**********************************************************************************************************************)
(* Readers: acquire_reading.lua, renew_reading.lua, join_reading.lua, release_reading.lua                             *)
(**********************************************************************************************************************)

HeldByWriter(m) ==
  /\ ~IsRead(m)
  /\ InForce(m)
  /\ ~Is("readerAdmittedWhileTheLockIsHeldAlone")

(* The reading that goes on, or one that begins now. *)
Begun(m) ==
  IF IsRead(m) THEN m
  ELSE [Alone(Shared, 0, m.lease, m.last, m.lease) EXCEPT !.base = m.last, !.leased = m.lease]

(* Entries that may be deleted on the way: they have lingered for as long as they were to. *)
Ended(m) == {c \in m.listed : m.entries[c] = 0 \/ Is("entriesDeletedWhileInForce")}

(* They are. The last token of a lease is perhaps that of one of them: it stands if a grant is undone. *)
Swept(m, swept) ==
  [m EXCEPT !.listed = @ \ swept, !.before = IF swept = {} THEN @ ELSE m.lease]

(* join_reading.lua: records the reader. *)
Joined(m, c, ttl, before) ==
  LET lease == Max(m.lease, Token(c))
  IN [m EXCEPT !.entries = [@ EXCEPT ![c] = Max(@, ttl)], !.listed = @ \union {c}, !.before = before,
               !.last = Max(@, lease), !.lease = lease]

(* A reader's token is larger than the last one before the reading began. *)
Admits(m, c) ==
  /\ ~HeldByWriter(m)
  /\ \/ Token(c) > (IF IsRead(m) THEN m.base ELSE m.last)
     \/ Is("readersTokenNotCompared")
  /\ c \notin m.graves \/ Is("readersGraveMissing")

Admitted(m, c, ttl, swept) ==
  LET r == Swept(Begun(m), swept)
  IN Joined(r, c, ttl, IF InForce(r) THEN r.before ELSE r.lease)

IsIn(m, c) == IsRead(m) /\ m.entries[c] > 0

ExtendsReading(m, c) ==
  \/ IsIn(m, c)
  \/ /\ ~HeldByWriter(m)
     /\ Token(c) >= (IF IsRead(m) THEN m.leased ELSE m.lease)
     /\ c \notin m.graves \/ Is("readersGraveMissing")

ExtendedReading(m, c, ttl, swept) == Joined(Swept(Begun(m), swept), c, ttl, Max(m.lease, Token(c)))

ReleasedReading(m, c, held, tombstone, swept) ==
  LET r == Swept(m, swept)
      others == r.listed \ {c}
      all == Is("releaseOfOneReaderForAll")
      lease == IF held THEN Max(m.lease, tombstone) ELSE m.lease
      last == Max(m.last, tombstone)
  IN IF IsRead(m) /\ (others = {} \/ all)
     THEN Free(last, IF ~held /\ c \in m.listed /\ r.before < lease THEN r.before ELSE lease)
     ELSE [r EXCEPT !.entries = IF IsRead(m) THEN [@ EXCEPT ![c] = 0] ELSE @,
                    !.listed = others,
                    !.graves = IF IsRead(m) /\ tombstone > 0 THEN @ \union {c} ELSE @,
                    !.before = IF held /\ m.owner # None THEN Max(@, tombstone) ELSE @,
                    !.last = last,
                    !.lease = lease]

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

(* What a client does: see Holdfast. *)
Ask(c) ==
  /\ state[c] = "new"
  /\ state' = [state EXCEPT ![c] = "asking"]
  /\ valid' = [valid EXCEPT ![c] = Validity]
  /\ UNCHANGED <<extension, votes, renewed>>
  /\ nodesUnchanged

Get(c) ==
  /\ state[c] = "asking" /\ Cardinality(votes[c]) >= Quorum /\ valid[c] > 0
  /\ state' = [state EXCEPT ![c] = "held"]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ UNCHANGED <<valid, extension, renewed>>
  /\ nodesUnchanged

(* It gives up, or its lease is over. *)
Stop(c, from, to) ==
  /\ state[c] \in from
  /\ state' = [state EXCEPT ![c] = to]
  /\ valid' = [valid EXCEPT ![c] = 0]
  /\ extension' = [extension EXCEPT ![c] = 0]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ UNCHANGED renewed
  /\ nodesUnchanged

GiveUp(c) == Stop(c, {"asking"}, "failed")
End(c) == Stop(c, {"held", "renewing"}, "over")

Renew(c) ==
  /\ Holds(c) /\ c \in Renewers
  /\ state' = [state EXCEPT ![c] = "renewing"]
  /\ extension' = [extension EXCEPT ![c] = Validity]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ renewed' = [renewed EXCEPT ![c] = TRUE]
  /\ UNCHANGED valid
  /\ nodesUnchanged

Extend(c) ==
  /\ state[c] = "renewing" /\ Cardinality(votes[c]) >= Quorum /\ valid[c] > 0
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

(* `ttl`: for how many ticks, by a right clock, the node keeps the lock. `swept`: which entries are deleted. *)
AcquireFor(n, c, ttl, swept) ==
  LET m == memory[n] IN
  /\ state[c] # "new"
  /\ IF c \in Writers THEN Grants(m, c) ELSE Admits(m, c)
  /\ Store(n, IF c \in Writers THEN Granted(m, c, ttl) ELSE Admitted(m, c, ttl, swept),
           state[c] = "asking" /\ n \notin votes[c])
  /\ Vote(n, c, "asking")
  /\ UNCHANGED buried

RenewFor(n, c, ttl, swept) ==
  LET m == memory[n] IN
  /\ renewed[c]
  /\ IF c \in Writers THEN Extends(m, c) ELSE ExtendsReading(m, c)
  /\ Store(n, IF c \in Writers THEN Extended(m, c, ttl) ELSE ExtendedReading(m, c, ttl, swept),
           state[c] = "renewing" /\ n \notin votes[c])
  /\ Vote(n, c, "renewing")
  /\ UNCHANGED buried

Run(n, c, held, tombstone, swept, buries) ==
  LET m == memory[n] IN
  /\ Store(n, IF c \in Writers THEN Released(m, c, held, tombstone)
              ELSE ReleasedReading(m, c, held, tombstone, swept),
           buries)
  /\ buried' = IF buries THEN [buried EXCEPT ![n] = @ \union {c}] ELSE buried
  /\ UNCHANGED votes

ReleaseFor(n, c, swept) == state[c] = "over" /\ Run(n, c, TRUE, Tombstone(c), swept, n \in Watched)

UndoFor(n, c, swept) == state[c] = "failed" /\ Run(n, c, FALSE, Tombstone(c), swept, n \in Watched)

(* On the connection on which the node has granted it, without a tombstone. While others read, an acquisition that    *)
(* comes twice is granted again: the reader is back, and nobody has its lease.                                        *)
UndoInOrderFor(n, c, swept) ==
  /\ state[c] = "failed"
  /\ memory[n].owner = IF c \in Writers THEN c ELSE Shared
  /\ Run(n, c, FALSE, 0, swept, n \in Watched /\ c \in Writers)

RunOf(n, c) ==
  \E swept \in SUBSET (IF c \in Writers THEN {} ELSE Ended(memory[n])) :
    \/ AcquireFor(n, c, Ttl, swept)
    \/ RenewFor(n, c, Ttl, swept)
    \/ ReleaseFor(n, c, swept)
    \/ UndoFor(n, c, swept)
    \/ UndoInOrderFor(n, c, swept)

(* The key of a lock that nobody has any more is deleted: it has lingered for as long as it was to. *)
Expire(n) ==
  /\ memory[n].owner # None
  /\ ~InForce(memory[n]) \/ (Is("lockEndsWithItsFirstReader") /\ \E c \in memory[n].listed : memory[n].entries[c] = 0)
  /\ memory' = [memory EXCEPT ![n] = Free(@.last, @.lease)]
  /\ UNCHANGED <<buried, state, valid, extension, votes, renewed>>

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
  \/ \E c \in Claims : Ask(c) \/ Get(c) \/ GiveUp(c) \/ Renew(c) \/ Extend(c) \/ End(c)
  \/ \E n \in Nodes : Expire(n)
  \/ \E n \in Nodes, c \in Claims : RunOf(n, c)

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
