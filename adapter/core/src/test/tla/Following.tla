----------------------------- MODULE Following ------------------------------
(* SPDX-License-Identifier: Apache-2.0 *)
(* What all modules need that follow traces of the simulation by a model, whatever that is of.                        *)
(* The module Traces has what was recorded, see TraceModule.                                                          *)
EXTENDS Naturals, FiniteSets, Sequences, TLC, Traces

CONSTANT
  Kinds     \* names of the kinds of steps, one after another

VARIABLES
  run,      \* which trace is followed
  at        \* how many of its steps have been

(* What is counted: how far each trace was followed, and how often each kind of step was taken. *)
ASSUME \A k \in DOMAIN Kinds : TLCSet(k, 0)
Register(r) == Len(Kinds) + r
ASSUME \A r \in DOMAIN Traces : TLCSet(Register(r), 0)

(* Of the code as it is, not of mistakes. TLC may find one step in several ways: it counts once. *)
Counted(kind) ==
  LET k == CHOOSE i \in DOMAIN Kinds : Kinds[i] = kind
  IN run <= Sound /\ TLCGet(Register(run)) = at => TLCSet(k, TLCGet(k) + 1)

Report ==
  /\ \A k \in DOMAIN Kinds : PrintT(<<"taken", Kinds[k], TLCGet(k)>>)
  /\ \A r \in DOMAIN Traces :
       LET steps == Traces[r].steps
           last == TLCGet(Register(r))
       IN last < Len(steps) => PrintT(<<"refused", Traces[r].name, last + 1, ToString(steps[last + 1])>>)
  /\ PrintT(<<"followed", Cardinality({r \in DOMAIN Traces : TLCGet(Register(r)) = Len(Traces[r].steps)})>>)

(* Time passes by k ticks at once: what is left of a timer after k steps Tick, of which each takes one from all that  *)
(* are above 0. Single ticks would be states by the thousand, in which nothing else can happen: the trace says when   *)
(* the next step is.                                                                                                  *)
Later(timer, k) == IF timer > k THEN timer - k ELSE 0

(* One behaviour more, which only counts. TLC looks at states in the order of their distance from the beginning, so   *)
(* when this one is one step further than the longest trace, all others have ended.                                   *)
Last == 0

BeginTraces ==
  /\ run \in (DOMAIN Traces) \union {Last}
  /\ at = 0

(* The step that the trace has next. *)
Recorded == Traces[run].steps[at + 1]

(* `follow`: the step of the model that it is. `stay`: nothing changes. *)
Continue(follow, stay) ==
  /\ at' = at + 1
  /\ run' = run
  /\ IF run = Last
       THEN at <= MostSteps /\ stay /\ (at = MostSteps => Report)
       ELSE /\ at < Len(Traces[run].steps)
            /\ follow
            /\ TLCSet(Register(run), at')
=============================================================================
