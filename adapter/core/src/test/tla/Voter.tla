------------------------------- MODULE Voter --------------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* A single voter behind Sentinels, which is one process at a time: see docs/safety.md, "Why a voter may move". Each  *)
(* client makes one attempt to get the lock. Tokens are left out: Holdfast has them.                                  *)
(*                                                                                                                    *)
(* Messages and time are as in Holdfast: what was sent arrives at any later moment, or never, and an answer is read at*)
(* any later moment. The former primary never learns that it was replaced, unless it becomes the primary again.       *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Sentinels,    \* the witnesses: each names the process of one term, and none goes back to an earlier term
  Clients,      \* 1..n
  Renewers,     \* the clients that renew their lease
  Interest,     \* the processes about which a client asks the Sentinels
  AtOnce,       \* whether Sentinels answer at once, or each one later. With one failover the former is enough: what
                \* some say at different moments, all of them say at one of these moments
  Releases,     \* whether clients give up attempts, and leases before they end
  Places,       \* which process (1, 2) the voter is in each term, as a sequence
  Ttl,          \* for how many ticks a process keeps a lock, and how long its quarantine is
  Validity,     \* for how many ticks a client relies on that
  Counts,       \* for how many ticks after a question to the Sentinels the votes of the process that they named count
  Drift,        \* by how many ticks the clock of a client may be too slow in that time
  Mutants       \* names of mistakes that are built in; {} for the protocol as it is

VARIABLES
  promoted,     \* the latest term whose process is a primary
  named,        \* the term that a Sentinel names
  memory,       \* what a process has: the owner of the lock, and for how many ticks
  mark,         \* the term that the birth mark of a process names; 0 for none
  quiet,        \* for how many ticks a process is in quarantine
  place,        \* the process that a client asks the Sentinels about, or hears of; None if it has not asked
  heard,        \* the Sentinels that have named that process in answer to the present question
  epoch,        \* the latest term of that process that was heard
  fresh,        \* for how many ticks votes would count because of the present question
  term,         \* the term that a client knows; 0 before the first
  counts,       \* for how many ticks votes in that term count
  unsettled,    \* for how many ticks a process that is new to the client is not to be asked
  asked,        \* the terms in which a client has sent its acquisition
  sent,         \* the terms in which it has sent its present renewal
  votes,        \* the terms in which its present request was granted
  read,         \* whether it has read such a grant, while it counted
  state,        \* new, asking, held, renewing, over
  valid,        \* for how many ticks the client relies on the lease that it has or asks for
  extension     \* the same for the renewal that is under way

witnesses == <<promoted, named>>
processes == <<memory, mark, quiet>>
knowledge == <<place, heard, epoch, fresh, term, counts, unsettled>>
leases == <<asked, sent, votes, read, state, valid, extension>>
vars == <<witnesses, processes, knowledge, leases>>

None == 0
Free == [owner |-> None, left |-> 0]
Terms == DOMAIN Places
Processes == {Places[t] : t \in Terms}
Is(mutant) == mutant \in Mutants
Majority == IF Is("oneSentinelIsEnough") THEN 1 ELSE Cardinality(Sentinels) \div 2 + 1
Process(c) == Places[term[c]]

Init ==
  /\ promoted = 1
  /\ named = [s \in Sentinels |-> 1]
  /\ memory = [p \in Processes |-> Free]
  /\ mark = [p \in Processes |-> IF p = Places[1] THEN 1 ELSE 0]
  /\ quiet = [p \in Processes |-> 0]
  /\ place = [c \in Clients |-> None]
  /\ heard = [c \in Clients |-> {}]
  /\ epoch = [c \in Clients |-> 0]
  /\ fresh = [c \in Clients |-> 0]
  /\ term = [c \in Clients |-> 0]
  /\ counts = [c \in Clients |-> 0]
  /\ unsettled = [c \in Clients |-> 0]
  /\ asked = [c \in Clients |-> {}]
  /\ sent = [c \in Clients |-> {}]
  /\ votes = [c \in Clients |-> {}]
  /\ read = [c \in Clients |-> FALSE]
  /\ state = [c \in Clients |-> "new"]
  /\ valid = [c \in Clients |-> 0]
  /\ extension = [c \in Clients |-> 0]

(**********************************************************************************************************************)
(* Sentinels                                                                                                          *)
(**********************************************************************************************************************)

(* A failover: the next process is promoted with what it has received of the one before, or with what it has itself. *)
Promote ==
  /\ promoted + 1 \in Terms
  /\ promoted' = promoted + 1
  /\ LET former == Places[promoted]
         next == Places[promoted + 1]
     IN \/ /\ memory' = [memory EXCEPT ![next] = memory[former]]
           /\ mark' = [mark EXCEPT ![next] = mark[former]]
           /\ quiet' = [quiet EXCEPT ![next] = quiet[former]]
        \/ UNCHANGED processes
  /\ UNCHANGED <<named, knowledge, leases>>

(* A Sentinel learns of a failover, some time after it. *)
Learn(s) ==
  /\ named[s] < promoted
  /\ \E t \in (named[s] + 1)..promoted : named' = [named EXCEPT ![s] = t]
  /\ UNCHANGED <<promoted, processes, knowledge, leases>>

(**********************************************************************************************************************)
(* What a client knows: Witnesses, Terms                                                                              *)
(**********************************************************************************************************************)

(* For how long votes count from a question on, by a clock that may be slow. *)
Fresh == Counts + Drift

(* For how long a process that is new to a client is not asked. *)
Settling == Counts + Drift

(* Witnesses.agree: a majority must name the same term. One that has missed a failover and the one back names a       *)
(* process by chance.                                                                                                 *)
Alike(said) == Cardinality(said) = 1 \/ Is("epochsMixed")

(* Terms.confirm: a majority has named p. If the client did not know this term, another begins, and its process is not*)
(* asked for a while.                                                                                                 *)
Confirm(c, p, latest, since) ==
  LET known == \/ latest = term[c]
               \/ Is("epochIgnored") /\ term[c] > 0 /\ Process(c) = p
      wait == IF Is("nextPrimaryAskedAtOnce") THEN 0
              ELSE IF Is("settledWithoutDrift") THEN Counts
              ELSE Settling
  IN /\ term' = [term EXCEPT ![c] = IF known THEN @ ELSE latest]
     /\ unsettled' = [unsettled EXCEPT ![c] = IF known THEN @ ELSE wait]
     /\ counts' = [counts EXCEPT ![c] = IF known /\ @ > since THEN @ ELSE since]
     /\ place' = [place EXCEPT ![c] = None]
     /\ heard' = [heard EXCEPT ![c] = {}]
     /\ epoch' = [epoch EXCEPT ![c] = 0]
     /\ fresh' = [fresh EXCEPT ![c] = 0]

Latest(said) == CHOOSE t \in said : \A u \in said : u <= t

(* A client asks all Sentinels, and a majority answers at once. *)
QuestionAnsweredAtOnce(c, p) ==
  /\ AtOnce
  /\ p \in Interest[c]
  /\ state[c] # "over"
  /\ \E some \in SUBSET Sentinels :
       /\ Cardinality(some) = Majority
       /\ \A s \in some : Places[named[s]] = p
       /\ Alike({named[s] : s \in some})
       /\ Confirm(c, p, Latest({named[s] : s \in some}), Fresh)
  /\ UNCHANGED <<witnesses, processes, leases>>

(* A client asks all Sentinels, and each answers later. A question is asked again when votes would not count any more:*)
(* to ask again before that is the same as not to have asked.                                                         *)
Question(c, p) ==
  /\ ~AtOnce
  /\ p \in Interest[c]
  /\ state[c] # "over"
  /\ fresh[c] = 0
  /\ place' = [place EXCEPT ![c] = p]
  /\ heard' = [heard EXCEPT ![c] = {}]
  /\ epoch' = [epoch EXCEPT ![c] = 0]
  /\ fresh' = [fresh EXCEPT ![c] = Fresh]
  /\ UNCHANGED <<term, counts, unsettled, witnesses, processes, leases>>

(* A Sentinel answers. What it says of other processes than the one in question can be left out. *)
Hear(c, s) ==
  /\ place[c] # None
  /\ s \notin heard[c]
  /\ Cardinality(heard[c]) < Majority
  /\ Places[named[s]] = place[c]
  /\ epoch[c] = 0 \/ Alike({named[s], epoch[c]})
  /\ heard' = [heard EXCEPT ![c] = @ \union {s}]
  /\ epoch' = [epoch EXCEPT ![c] = Latest({named[s], @})]
  /\ UNCHANGED <<place, fresh, term, counts, unsettled, witnesses, processes, leases>>

(* Later the client has read the answers of a majority. *)
Agree(c) ==
  /\ Cardinality(heard[c]) >= Majority
  /\ fresh[c] > 0 \/ Is("countsFromTheAnswer")
  /\ Confirm(c, place[c], epoch[c], IF Is("countsFromTheAnswer") THEN Fresh ELSE fresh[c])
  /\ UNCHANGED <<witnesses, processes, leases>>

Count(c) == counts[c] > 0 \/ Is("votesCountForEver")

(* Eligibility.isMarked: the mark is that of the process in this term. *)
Marked(c) ==
  \/ mark[Process(c)] = term[c]
  \/ Is("epochIgnored") /\ mark[Process(c)] > 0 /\ Places[mark[Process(c)]] = Process(c)

(* Eligibility.refusal, NodeGuard: a client looks at a process that has no mark of this term, when it may ask it, and *)
(* begins the quarantine.                                                                                             *)
LookFor(c, quarantine) ==
  /\ term[c] > 0
  /\ ~Marked(c)
  /\ unsettled[c] = 0
  /\ Count(c)
  /\ mark' = [mark EXCEPT ![Process(c)] = term[c]]
  /\ quiet' = [quiet EXCEPT ![Process(c)] = quarantine]
  /\ UNCHANGED <<memory, witnesses, knowledge, leases>>

Look(c) == LookFor(c, IF Is("noQuarantineAfterAPromotion") THEN 0 ELSE Ttl)

(**********************************************************************************************************************)
(* Leases: Redlock, HeldLock                                                                                          *)
(**********************************************************************************************************************)

(* A client has looked at each process that it asks. *)
Usable(c) == term[c] > 0 /\ Count(c) /\ Marked(c)

Ask(c) ==
  /\ state[c] = "new"
  /\ Usable(c)
  /\ state' = [state EXCEPT ![c] = "asking"]
  /\ asked' = [asked EXCEPT ![c] = {term[c]}]
  /\ valid' = [valid EXCEPT ![c] = Validity]
  /\ UNCHANGED <<sent, votes, read, extension, witnesses, processes, knowledge>>

(* An answer of the present term is read while it counts. The caller may go on later: what it relies on has begun     *)
(* before its request, and not with the answer.                                                                       *)
Read(c) ==
  /\ state[c] \in {"asking", "renewing"}
  /\ ~read[c]
  /\ \E t \in votes[c] : t = term[c] \/ Is("votesCountForEver")
  /\ Count(c)
  /\ read' = [read EXCEPT ![c] = TRUE]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ UNCHANGED <<asked, sent, state, valid, extension, witnesses, processes, knowledge>>

Get(c) ==
  /\ state[c] = "asking"
  /\ read[c]
  /\ valid[c] > 0
  /\ state' = [state EXCEPT ![c] = "held"]
  /\ read' = [read EXCEPT ![c] = FALSE]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ UNCHANGED <<asked, sent, valid, extension, witnesses, processes, knowledge>>

Holds(c) == state[c] \in {"held", "renewing"} /\ valid[c] > 0

Renew(c) ==
  /\ c \in Renewers
  /\ Holds(c)
  /\ Usable(c)
  /\ state' = [state EXCEPT ![c] = "renewing"]
  /\ sent' = [sent EXCEPT ![c] = {term[c]}]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ read' = [read EXCEPT ![c] = FALSE]
  /\ extension' = [extension EXCEPT ![c] = Validity]
  /\ UNCHANGED <<asked, valid, witnesses, processes, knowledge>>

Extend(c) ==
  /\ state[c] = "renewing"
  /\ valid[c] > 0
  /\ read[c]
  /\ state' = [state EXCEPT ![c] = "held"]
  /\ read' = [read EXCEPT ![c] = FALSE]
  /\ valid' = [valid EXCEPT ![c] = IF extension[c] > @ THEN extension[c] ELSE @]
  /\ extension' = [extension EXCEPT ![c] = 0]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ UNCHANGED <<asked, sent, witnesses, processes, knowledge>>

(* A lease ends, or a client gives up an attempt or a lease before that. *)
End(c) ==
  /\ state[c] \notin {"new", "over"}
  /\ valid[c] = 0 \/ Releases
  /\ state' = [state EXCEPT ![c] = "over"]
  /\ votes' = [votes EXCEPT ![c] = {}]
  /\ read' = [read EXCEPT ![c] = FALSE]
  /\ valid' = [valid EXCEPT ![c] = 0]
  /\ extension' = [extension EXCEPT ![c] = 0]
  /\ UNCHANGED <<asked, sent, witnesses, processes, knowledge>>

(* The process of a term runs acquire.lua. That term may be over by now. *)
RunAcquireFor(c, t, left) ==
  LET p == Places[t] IN
  /\ t \in asked[c]
  /\ memory[p].owner \in {None, c} \/ memory[p].left = 0
  /\ quiet[p] = 0
  /\ memory' = [memory EXCEPT ![p] = [owner |-> c, left |-> left]]
  /\ votes' = IF state[c] = "asking" /\ ~read[c] THEN [votes EXCEPT ![c] = @ \union {t}] ELSE votes
  /\ UNCHANGED <<mark, quiet, read, asked, sent, state, valid, extension, witnesses, knowledge>>

RunAcquire(c, t) == RunAcquireFor(c, t, Ttl)

(* The process of a term runs renew.lua: it heals nothing in quarantine. *)
RunRenewFor(c, t, left) ==
  LET p == Places[t] IN
  /\ t \in sent[c]
  /\ \/ memory[p].owner = c
     \/ quiet[p] = 0 /\ (memory[p].owner = None \/ memory[p].left = 0)
  /\ memory' = [memory EXCEPT ![p] = [owner |-> c, left |-> left]]
  /\ votes' = IF state[c] = "renewing" /\ ~read[c] THEN [votes EXCEPT ![c] = @ \union {t}] ELSE votes
  /\ UNCHANGED <<mark, quiet, read, asked, sent, state, valid, extension, witnesses, knowledge>>

RunRenew(c, t) == RunRenewFor(c, t, Ttl)

(* A process runs release.lua, or the undo of an attempt: that needs no vote, so the client asks whichever it knows.  *)
(* What comes after it may take the lock again for a client that does not rely on it: tombstones are left out.        *)
RunRelease(c, p) ==
  /\ Releases
  /\ state[c] = "over"
  /\ memory[p].owner = c
  /\ memory' = [memory EXCEPT ![p] = Free]
  /\ UNCHANGED <<mark, quiet, witnesses, knowledge, leases>>

Less(timer) == IF timer > 0 THEN timer - 1 ELSE 0
AllLess(timers) == [i \in DOMAIN timers |-> Less(timers[i])]

Tick ==
  /\ \/ \E p \in Processes : memory[p].left > 0 \/ quiet[p] > 0
     \/ \E c \in Clients : fresh[c] + counts[c] + unsettled[c] + valid[c] + extension[c] > 0
  /\ memory' = [p \in Processes |-> [memory[p] EXCEPT !.left = Less(@)]]
  /\ quiet' = AllLess(quiet)
  /\ fresh' = AllLess(fresh)
  /\ counts' = AllLess(counts)
  /\ unsettled' = AllLess(unsettled)
  /\ valid' = AllLess(valid)
  /\ extension' = AllLess(extension)
  /\ UNCHANGED <<witnesses, mark, place, heard, epoch, term, asked, sent, votes, read, state>>

Next ==
  \/ Tick
  \/ Promote
  \/ \E s \in Sentinels : Learn(s)
  \/ \E c \in Clients :
       \/ Look(c) \/ Ask(c) \/ Read(c) \/ Get(c) \/ Renew(c) \/ Extend(c) \/ End(c)
       \/ \E p \in Processes : Question(c, p) \/ QuestionAnsweredAtOnce(c, p) \/ RunRelease(c, p)
       \/ \E s \in Sentinels : Hear(c, s)
       \/ Agree(c)
       \/ \E t \in Terms : RunAcquire(c, t) \/ RunRenew(c, t)

Spec == Init /\ [][Next]_vars

OneHolder == \A c, d \in Clients : Holds(c) /\ Holds(d) => c = d

=============================================================================
