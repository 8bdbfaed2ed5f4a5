------------------------------ MODULE Holdfast ------------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* A lock that one holder has at a time: what clients and nodes do, for one name. docs/safety.md says why it is safe. *)
(*                                                                                                                    *)
(* A claim is one attempt to get the lock, and the lease that may come of it. The model has no clients: each claim may*)
(* be of any client, and several claims of one client at once are possible, as in the code.                           *)
(*                                                                                                                    *)
(* Messages. What was sent to the nodes once can arrive at each node from then on at any moment: late, never, several *)
(* times, and in any order. So a message needs no variable: the state of its claim says that it was sent. A reply     *)
(* needs none either: `votes` has the nodes that have answered the present request, and the client may read that at   *)
(* any later moment, or never.                                                                                        *)
(*                                                                                                                    *)
(* Time. All timers count down together (Tick), so there is no clock and no end of time. Clocks that drift: where a   *)
(* node measures a time, it may be shorter by Drift. What a client measures has Drift subtracted.                     *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Nodes,        \* the nodes that vote
  Claims,       \* the claims, which are the numbers 1..n; a larger one has no smaller token
  Rank,         \* which token a claim has, as a function from claims to 1..n: two clients may draw the same one
  Renewers,     \* the claims that are renewed
  Ttl,          \* for how many ticks a node keeps a lock
  Drift,        \* by how many of these the clock of a node may be too fast
  Ttls,         \* for how many ticks nodes keep a lock by a right clock: between Ttl - Drift and Ttl
  Quarantine,   \* for how many ticks, by the slowest clock, a node that may have forgotten locks grants no new one
  Restarts,     \* how many restarts there are at the most
  Keeps,        \* whether a node that is restarted may have kept its data, as well as lost all
  AnyOrder,     \* whether tokens may be drawn in any order, as by clocks that disagree; else each is not smaller
  Prompt,       \* within how many ticks after its token was drawn a claim is sent; 0 for no limit. Redlock counts no
                \* grant that comes later than a quarantine lasts; what it does not count is left out
  Watched,      \* the nodes whose releases are remembered, see buried
  Mutants       \* names of mistakes that are built in; {} for the protocol as it is

VARIABLES
  memory,       \* what a node has stored, see Empty
  quiet,        \* for how many ticks the node is in quarantine; Unseen if no client has looked at it since its restart
  buried,       \* history: the claims of which a watched node has run the release, since its memory is whole
  state,        \* how far a claim has come, see States
  valid,        \* for how many ticks its client relies on the lease that it has or asks for, or on the drawn token
  extension,    \* the same for the renewal that is under way
  votes,        \* the nodes that have granted the present request of the claim
  renewed,      \* whether a renewal of the claim was ever sent
  restarts      \* how many restarts there were

vars == <<memory, quiet, buried, state, valid, extension, votes, renewed, restarts>>

None == 0
Unseen == Quarantine + 1

Is(mutant) == mutant \in Mutants

Max(a, b) == IF a > b THEN a ELSE b

(* A token is even; the tombstone that a release leaves is the token + 1, and smaller than each later token. *)
Token(c) == 2 * Rank[c]
Tombstone(c) == IF Is("noTombstone") THEN 0 ELSE Token(c) + 1

Quorum == IF Is("quorumOfHalf") THEN Cardinality(Nodes) \div 2 ELSE Cardinality(Nodes) \div 2 + 1

(* What a node has of the lock. `owner` and `left` are the lock's key: its owner, and for how many ticks its lease    *)
(* lasts. A lease that has ended (left = 0) stays until its key is deleted: it lingers. `before` is the token that is *)
(* the last one of a lease again, if this grant is undone. `last` and `lease` are the fence: the last token of all,   *)
(* and the last one of a lease. See lock.lua.                                                                         *)
Empty == [owner |-> None, left |-> 0, before |-> 0, last |-> 0, lease |-> 0]

(* drawn: the token is drawn, nothing is sent. asking: acquisitions are sent. held: has the lock for as long as it is *)
(* valid. renewing: held, and renewals are under way. over: released or lost, releases are sent. failed: given up,    *)
(* and the attempt is being undone.                                                                                   *)
States == {"new", "drawn", "asking", "held", "renewing", "over", "failed"}

Had(c) == state[c] \in {"held", "renewing", "over"}
Holds(c) == state[c] \in {"held", "renewing"} /\ valid[c] > 0

(**********************************************************************************************************************)
(* What the scripts do with the memory m of a node, for the claim c. q is the quarantine of that node.                *)
(**********************************************************************************************************************)

(* Another owner has the lock, by the clock of the node. A lease that has ended is overwritten: the client has found  *)
(* the clock right, see ended.lua. (Clocks that jump are not in this model.)                                          *)
HeldByOther(m, c) == m.owner \notin {None, c} /\ m.left > 0

(* quarantine.lua: this node may have forgotten locks. *)
Forgotten(q) == q > 0 /\ ~Is("guardOff")

(* acquire.lua and acquire_free.lua: a token that is larger than the last one, or the same request once more. *)
Grants(m, q, c) ==
  /\ \/ ~HeldByOther(m, c)
     \/ Is("takenFromOthers")
  /\ ~Forgotten(q)
  /\ \/ Token(c) > m.last
     \/ m.owner = c /\ Token(c) >= m.last
     \/ Is("tokenNotCompared")

Granted(m, c, ttl) ==
  [owner |-> c,
   left |-> IF m.owner = c THEN Max(m.left, ttl) ELSE ttl,
   before |-> IF m.owner = c THEN m.before ELSE m.lease,
   last |-> Token(c),
   lease |-> Token(c)]

(* renew.lua: extends the lock of its owner; heals a node which has no owner, and no larger token of a lease. *)
Extends(m, q, c) ==
  \/ m.owner = c
  \/ /\ \/ ~HeldByOther(m, c)
        \/ Is("renewalTakesFromOthers")
     /\ \/ ~Forgotten(q)
        \/ Is("healedInQuarantine")
     /\ \/ Token(c) >= m.lease
        \/ Is("healedWithoutToken")

Extended(m, c, ttl) ==
  LET lease == Max(m.lease, Token(c))
  IN [owner |-> c,
      left |-> IF m.owner = c THEN Max(m.left, ttl) ELSE ttl,
      before |-> lease,
      last |-> Max(m.last, lease),
      lease |-> lease]

(* release.lua, release_held.lua. `held`: ends a lease; else it undoes an attempt, and what stood before it stands    *)
(* again. `tombstone`: 0 to leave none.                                                                               *)
Released(m, c, held, tombstone) ==
  LET mine == m.owner = c \/ (Is("releaseOfAnyOwner") /\ m.owner # None)
      lease == IF held /\ m.lease < tombstone THEN tombstone
               ELSE IF ~held /\ m.owner = c /\ m.before < m.lease THEN m.before
               ELSE m.lease
  IN [owner |-> IF mine THEN None ELSE m.owner,
      left |-> IF mine THEN 0 ELSE m.left,
      before |-> IF mine \/ m.owner = None THEN 0
                 ELSE IF held THEN Max(m.before, tombstone) ELSE m.before,
      last |-> Max(m.last, tombstone),
      lease |-> lease]

(**********************************************************************************************************************)
(* Steps of clients                                                                                                   *)
(**********************************************************************************************************************)

Init ==
  /\ memory = [n \in Nodes |-> Empty]
  /\ quiet = [n \in Nodes |-> 0]
  /\ buried = [n \in Nodes |-> {}]
  /\ state = [c \in Claims |-> "new"]
  /\ valid = [c \in Claims |-> 0]
  /\ extension = [c \in Claims |-> 0]
  /\ votes = [c \in Claims |-> {}]
  /\ renewed = [c \in Claims |-> FALSE]
  /\ restarts = 0

nodesUnchanged == UNCHANGED <<memory, quiet, buried, restarts>>

(* Timing.validityNanos: the TTL less what the clocks may differ by. *)
Validity == IF Is("driftNotSubtracted") THEN Ttl ELSE Ttl - Drift

(* Claims draws a token from the TokenClock. *)
Draw(c) ==
  /\ state[c] = "new"
  /\ AnyOrder \/ \A d \in Claims : state[d] # "new" => Rank[d] <= Rank[c]
  /\ state' = [state EXCEPT ![c] = "drawn"]
  /\ valid' = [valid EXCEPT ![c] = Prompt]
  /\ UNCHANGED <<extension, votes, renewed>>
  /\ nodesUnchanged

(* Redlock.acquire sends to all nodes. The validity counts from before that. *)
Ask(c) ==
  /\ state[c] = "drawn"
  /\ Prompt > 0 => valid[c] > 0
  /\ state' = [state EXCEPT ![c] = "asking"]
  /\ valid' = [valid EXCEPT ![c] = Validity]
  /\ UNCHANGED <<extension, votes, renewed>>
  /\ nodesUnchanged

(* Redlock.acquire has the answers of a quorum in time: the claim is a lease, a HeldLock. *)
Get(c) ==
  /\ state[c] = "asking"
  /\ Cardinality(votes[c]) >= Quorum
  /\ valid[c] > 0 \/ Is("validityFromTheReply")
  /\ state' = [state EXCEPT ![c] = "held"]
  /\ valid' = [valid EXCEPT ![c] = IF Is("validityFromTheReply") THEN Validity ELSE @]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ UNCHANGED <<extension, renewed>>
  /\ nodesUnchanged

(* Redlock.undo: whatever the cause, the attempt is given up. *)
GiveUp(c) ==
  /\ state[c] = "asking"
  /\ state' = [state EXCEPT ![c] = "failed"]
  /\ valid' = [valid EXCEPT ![c] = 0]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ UNCHANGED <<extension, renewed>>
  /\ nodesUnchanged

(* Redlock.startRenewals. A renewal may be sent while another one is under way: only its own answers count for it. *)
Renew(c) ==
  /\ c \in Renewers
  /\ Holds(c) \/ (Is("renewedAfterTheEnd") /\ state[c] \in {"held", "renewing"})
  /\ state' = [state EXCEPT ![c] = "renewing"]
  /\ extension' = [extension EXCEPT ![c] = Validity]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ renewed' = [renewed EXCEPT ![c] = TRUE]
  /\ UNCHANGED valid
  /\ nodesUnchanged

(* Redlock.finishRenewal, and HeldLock: a lease that has ended is not extended. *)
Extend(c) ==
  /\ state[c] = "renewing"
  /\ Cardinality(votes[c]) >= Quorum
  /\ valid[c] > 0 \/ Is("renewedAfterTheEnd")
  /\ state' = [state EXCEPT ![c] = "held"]
  /\ valid' = [valid EXCEPT ![c] = Max(@, extension[c])]
  /\ extension' = [extension EXCEPT ![c] = 0]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ UNCHANGED renewed
  /\ nodesUnchanged

(* Redlock.startReleases and abandon: the lease is released, or lost for whatever cause. *)
End(c) ==
  /\ state[c] \in {"held", "renewing"}
  /\ state' = [state EXCEPT ![c] = "over"]
  /\ valid' = [valid EXCEPT ![c] = 0]
  /\ extension' = [extension EXCEPT ![c] = 0]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ UNCHANGED renewed
  /\ nodesUnchanged

(**********************************************************************************************************************)
(* Steps of nodes                                                                                                     *)
(**********************************************************************************************************************)

clientsUnchanged == UNCHANGED <<state, valid, extension, renewed>>

(* A node stores m. Steps that change nothing are left out, unless something else changes: TLC would count them. *)
Store(n, m, more) ==
  /\ m # memory[n] \/ more
  /\ memory' = [memory EXCEPT ![n] = m]

(* A node runs acquire.lua. The acquisition of an attempt that was given up may still be under way. `ttl`: for how    *)
(* many ticks, by a right clock, the node keeps the lock.                                                             *)
AcquireFor(n, c, ttl) ==
  /\ state[c] \notin {"new", "drawn"}
  /\ Grants(memory[n], quiet[n], c)
  /\ Store(n, Granted(memory[n], c, ttl), state[c] = "asking" /\ n \notin votes[c])
  /\ votes' = IF state[c] = "asking" THEN [votes EXCEPT ![c] = @ \union {n}] ELSE votes
  /\ clientsUnchanged
  /\ UNCHANGED <<quiet, buried, restarts>>

RunAcquire(n, c) == \E ttl \in Ttls : AcquireFor(n, c, ttl)

(* A node runs renew.lua. *)
RenewFor(n, c, ttl) ==
  /\ renewed[c]
  /\ Extends(memory[n], quiet[n], c)
  /\ Store(n, Extended(memory[n], c, ttl), state[c] = "renewing" /\ n \notin votes[c])
  /\ votes' = IF state[c] = "renewing" THEN [votes EXCEPT ![c] = @ \union {n}] ELSE votes
  /\ clientsUnchanged
  /\ UNCHANGED <<quiet, buried, restarts>>

RunRenew(n, c) == \E ttl \in Ttls : RenewFor(n, c, ttl)

Run(n, c, held, tombstone) ==
  /\ Store(n, Released(memory[n], c, held, tombstone), n \in Watched)
  /\ UNCHANGED votes
  /\ clientsUnchanged
  /\ UNCHANGED <<quiet, restarts>>

Bury(n, c) == buried' = IF n \in Watched THEN [buried EXCEPT ![n] = @ \union {c}] ELSE buried

(* A node runs release.lua for a lease that is over (Command.Release.ofLease). *)
RunRelease(n, c) ==
  /\ state[c] = "over"
  /\ Run(n, c, ~Is("releaseThatIsHealed"), Tombstone(c))
  /\ Bury(n, c)

(* A node runs release.lua for an attempt of which its answer is missing (Command.Release.ofLostAttempt). *)
RunUndo(n, c) ==
  /\ state[c] = "failed"
  /\ Run(n, c, FALSE, Tombstone(c))
  /\ Bury(n, c)

(* The same on the connection on which the node has granted it (Command.Release.ofAttempt): no tombstone is needed,   *)
(* as the token of the grant is on record.                                                                            *)
RunUndoInOrder(n, c) ==
  /\ state[c] = "failed"
  /\ memory[n].owner = c
  /\ Run(n, c, FALSE, 0)
  /\ Bury(n, c)

(* The key of a lease that has ended is deleted: it has lingered for as long as it was to. *)
Expire(n) ==
  /\ memory[n].owner # None
  /\ memory[n].left = 0
  /\ memory' = [memory EXCEPT ![n].owner = None, ![n].before = 0]
  /\ UNCHANGED <<quiet, buried, votes, restarts>>
  /\ clientsUnchanged

(* A node is restarted. It has nothing of what it had, or all of it. *)
Restart(n) ==
  /\ restarts < Restarts
  /\ memory[n] # Empty
  /\ restarts' = restarts + 1
  /\ quiet' = [quiet EXCEPT ![n] = IF Is("guardOff") THEN 0 ELSE Unseen]
  /\ \/ memory' = [memory EXCEPT ![n] = Empty] /\ buried' = [buried EXCEPT ![n] = {}]
     \/ Keeps /\ UNCHANGED <<memory, buried>>
  /\ UNCHANGED votes
  /\ clientsUnchanged

(* A client looks at a node whose birth mark is gone, or names another process: the quarantine begins. See NodeGuard, *)
(* mark.lua.                                                                                                          *)
Look(n) ==
  /\ quiet[n] = Unseen
  /\ quiet' = [quiet EXCEPT ![n] = IF Is("quarantineHalfAsLong") THEN Quarantine \div 2 ELSE Quarantine]
  /\ UNCHANGED <<memory, buried, votes, restarts>>
  /\ clientsUnchanged

Less(timer) == IF timer > 0 THEN timer - 1 ELSE 0

(* Time passes, for all alike; see Ttls for clocks that drift. Nothing has to happen before that: every client and    *)
(* every node may stand still for as long as it likes.                                                                *)
Tick ==
  /\ \/ \E n \in Nodes : memory[n].left > 0 \/ quiet[n] \in 1..Quarantine
     \/ \E c \in Claims : valid[c] > 0 \/ extension[c] > 0
  /\ memory' = [n \in Nodes |-> [memory[n] EXCEPT !.left = Less(@)]]
  /\ quiet' = [n \in Nodes |-> IF quiet[n] = Unseen THEN Unseen ELSE Less(quiet[n])]
  /\ valid' = [c \in Claims |-> Less(valid[c])]
  /\ extension' = [c \in Claims |-> Less(extension[c])]
  /\ UNCHANGED <<buried, state, votes, renewed, restarts>>

Next ==
  \/ Tick
  \/ \E c \in Claims : Draw(c) \/ Ask(c) \/ Get(c) \/ GiveUp(c) \/ Renew(c) \/ Extend(c) \/ End(c)
  \/ \E n \in Nodes : Restart(n) \/ Look(n) \/ Expire(n)
  \/ \E n \in Nodes, c \in Claims :
       RunAcquire(n, c) \/ RunRenew(n, c) \/ RunRelease(n, c) \/ RunUndo(n, c) \/ RunUndoInOrder(n, c)

Spec == Init /\ [][Next]_vars

(**********************************************************************************************************************)
(* What must hold                                                                                                     *)
(**********************************************************************************************************************)

OneHolder == \A c, d \in Claims : Holds(c) /\ Holds(d) => c = d

(* Whatever is released or undone on a node stays so, whichever of its messages arrive later. *)
NothingComesBack == \A n \in Nodes : memory[n].owner \notin buried[n]

(* A lease that is held is kept by a quorum of nodes for as long, or by the quarantine of what has forgotten it. *)
HolderIsBacked ==
  \A c \in Claims : Holds(c) =>
    Cardinality({n \in Nodes : \/ memory[n].owner = c /\ memory[n].left >= valid[c]
                               \/ quiet[n] >= valid[c]}) > Cardinality(Nodes) \div 2

(* A node has a token on record that is no smaller than that of the owner, and none of a lease larger than the last. *)
FenceStands ==
  \A n \in Nodes :
    /\ memory[n].lease <= memory[n].last
    /\ memory[n].owner # None => Token(memory[n].owner) <= memory[n].lease

(* Each lease has a larger token than all leases that were got before. Steps, not states: [][TokensGrow]_vars. *)
TokensGrowStep ==
  \A c \in Claims : (state[c] = "asking" /\ state'[c] = "held") =>
    \A d \in Claims \ {c} : Had(d) => Token(d) < Token(c)
TokensGrow == [][TokensGrowStep]_vars

(* The last token of a node never falls, but by a restart. *)
FencesNeverFall == [][restarts' = restarts => \A n \in Nodes : memory'[n].last >= memory[n].last]_vars

(* A lock in force goes to no other owner, and is deleted only when its owner's client has released or given it up. *)
OthersUntouchedStep ==
  \A n \in Nodes : (memory[n].owner # None /\ memory[n].left > 0 /\ restarts' = restarts) =>
    \/ memory'[n].owner = memory[n].owner
    \/ memory'[n].owner = None /\ state[memory[n].owner] \in {"over", "failed"}
OthersUntouched == [][OthersUntouchedStep]_vars

(* A node in quarantine has no owner that it did not have before. *)
QuietNodesGrantNothing ==
  [][\A n \in Nodes : quiet[n] > 0 => memory'[n].owner \in {None, memory[n].owner}]_vars

(* A lease whose end its client can have seen is not held again. *)
LostStaysLost == [][\A c \in Claims : Had(c) /\ valid[c] = 0 => valid'[c] = 0]_vars

=============================================================================
