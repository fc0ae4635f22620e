import type { Session } from '../db/database'
import type { Repeatable } from '../http/idempotency'
import { internal, Refusal } from '../http/problem'
import { type Decision, decisionOf, report } from './answering/confirmation'
import type { About, AnswerEvent, Emit } from './answering/events'
import { AnswerRun } from './answering/run'
import { plain } from './compose'
import { type Engines, LOCAL_MODEL } from './engines'
import { type Ask, estimateTokens, readRequest } from './request'
import type { Ending, Engine } from './run'
import type { OpenRun, RunRecord } from './runs/runs'
import type { Action, ChatAnswer, ChatRequest } from './schema'
import type { Executor } from './tools/executor'
import { UpstreamFailed } from './upstream/failure'

export interface ChatDependencies {
  readonly engines: Engines
  readonly executor: Executor
  readonly openRun: OpenRun
  /** When the model fails before anything was said or done: answer with the embedded engine, or fail. */
  readonly fallback: 'local' | 'error'
  readonly log: { error(fields: object, message: string): void }
  /** Milliseconds since 1970; fractions are welcome, since durations are told in nanoseconds. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
}

/** A request as a face hands it over. */
export interface ChatCall {
  readonly session: Session
  readonly request: ChatRequest
  /** Its Idempotency-Key; null without one. */
  readonly repeatable: Repeatable | null
  /** Warnings that the caller has already; they come first in the answer. */
  readonly warnings: readonly string[]
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal
  /** Takes the parts of the answer as they come. Joined, its deltas are the text of the answer. */
  readonly emit: Emit
}

export interface ChatService {
  /**
   * Answers the last user message. Throws a Refusal for what the schema could not check, and when nothing answers; one
   * that comes after something was done lists that under `actions`.
   */
  answer(call: ChatCall): Promise<{ readonly answer: ChatAnswer; readonly replayed: boolean }>
  models(session: Session): string[]
}

/** What answered, and how it ended. */
interface Answered {
  readonly run: AnswerRun
  readonly engine: Engine
  readonly about: About
  readonly ending: Ending
}

export function createChat(deps: ChatDependencies): ChatService {
  const { engines, executor, openRun, now, ids } = deps

  return {
    models: (session) => engines.models(session),

    async answer(call) {
      const ask = readRequest(call.request)
      const record = await openRun(call.session, call.repeatable)
      try {
        if (record.earlier.kind !== 'none') return { answer: repeat(call, ask, record.earlier), replayed: true }
        const started = now()
        const answered = await answerNew(call, ask, record, started)
        return { answer: await finished(call, ask, record, answered, started), replayed: false }
      } finally {
        record.close()
      }
    },
  }

  /** A repeat of a run that came to its end, or that died: nothing is done anew. */
  function repeat(call: ChatCall, ask: Ask, earlier: Exclude<RunRecord['earlier'], { kind: 'none' }>): ChatAnswer {
    const answer = earlier.kind === 'finished' ? earlier.answer : interrupted(call, ask, earlier.actions)
    const { id, model, created_at, message } = answer
    call.emit({ name: 'delta', data: message.content }, { id, model, created_at, replayed: true })
    return answer
  }

  function interrupted({ warnings }: ChatCall, ask: Ask, actions: readonly Action[]): ChatAnswer {
    return {
      id: ids(),
      model: LOCAL_MODEL,
      engine: 'local',
      created_at: new Date(now()).toISOString(),
      message: { role: 'assistant', content: INTERRUPTED },
      done: true,
      done_reason: 'stop',
      grounded: false,
      citations: [],
      actions: [...actions],
      warnings: [...warnings, ...ask.warnings, 'interrupted'],
      ...measured({ reason: 'stop', steps: 0, tokens: null }, ask, INTERRUPTED, 0, 0),
    }
  }

  async function answerNew(call: ChatCall, ask: Ask, record: RunRecord, started: number): Promise<Answered> {
    const about = (engine: Engine): About => ({
      id: ids(),
      model: engine.model,
      created_at: new Date(started).toISOString(),
      replayed: false,
    })
    const start = (engine: Engine, warning: string | null) => {
      const known = about(engine)
      const emit = (event: AnswerEvent) => call.emit(event, known)
      const { session, signal } = call
      const withModel = engine.name === 'upstream'
      const add: RunRecord['add'] = (tx, action) => record.add(tx, action)
      const run = new AnswerRun({ session, ask, signal, executor, withModel, now, record: add, emit })
      if (warning !== null) run.warn(warning)
      emit({ name: 'start' })
      return { run, engine, about: known }
    }
    const decision = decisionOf(ask)
    if (decision) return decide(start(engines.local, null), decision)
    const { engine, warning } = await engines.choose(call.session, ask)
    const first = start(engine, warning)
    if (engine.name === 'local') return { ...first, ending: await ended(first.run, engine) }
    try {
      return { ...first, ending: await paid(call, first.run, engine) }
    } catch (error) {
      if (!(error instanceof UpstreamFailed)) throw error
      const began = first.run.began || error.began
      if (began || ask.model !== 'auto' || deps.fallback === 'error')
        throw withActions(new Refusal(error.code, error.message), first.run.actions)
      const second = start(engines.local, 'upstream_unavailable')
      return { ...second, ending: await ended(second.run, engines.local) }
    }
  }

  async function decide(started: Omit<Answered, 'ending'>, decision: Decision): Promise<Answered> {
    const { run } = started
    if (decision.cancel !== null) {
      const { summary } = await executor.cancel(run.context(), decision.cancel)
      run.say(`Cancelled, nothing was done: ${plain(summary)}`)
    } else {
      const outcomes = await executor.confirm(run.context(), decision)
      for (const outcome of outcomes) run.take(outcome)
      run.say(report(outcomes))
    }
    return { ...started, ending: { reason: 'stop', steps: 0, tokens: null } }
  }

  /** Lets the model answer, and counts what it took, however it ends. */
  async function paid(call: ChatCall, run: AnswerRun, engine: Engine): Promise<Ending> {
    const leave = engines.enter(call.session)
    let tokens: Ending['tokens'] = null
    try {
      const ending = await ended(run, engine)
      tokens = ending.tokens
      return ending
    } catch (error) {
      if (error instanceof UpstreamFailed) tokens = error.progress.tokens
      throw error
    } finally {
      leave()
      const { prompt, completion } = tokens ?? estimated(run.ask, run.text)
      await engines.spend(call.session, prompt + completion)
    }
  }

  /** What is thrown after something was done tells of it. What we did not expect goes to the log as it is. */
  async function ended(run: AnswerRun, engine: Engine): Promise<Ending> {
    try {
      return await engine.answer(run)
    } catch (error) {
      if (run.signal.aborted) throw gone()
      if (run.actions.length === 0 || error instanceof UpstreamFailed) throw error
      if (error instanceof Refusal) throw withActions(error, run.actions)
      deps.log.error({ err: error }, 'an answer failed after something was done')
      throw withActions(internal(), run.actions)
    }
  }

  async function finished(call: ChatCall, ask: Ask, record: RunRecord, answered: Answered, started: number) {
    const { run, engine, about, ending } = answered
    const { text, citations, cut } = run.finish()
    const marks = citations.some(({ cited }) => cited)
    const answer: ChatAnswer = {
      id: about.id,
      model: engine.model,
      engine: engine.name,
      created_at: about.created_at,
      message: { role: 'assistant', content: text },
      done: true,
      done_reason: cut ? 'length' : ending.reason,
      // Marks without a citation never get into the text.
      grounded: marks,
      citations,
      actions: run.actions,
      warnings: [...call.warnings, ...ask.warnings, ...run.warnings],
      ...measured(ending, ask, text, run.toolCalls, Math.max(0, Math.round((now() - started) * 1e6))),
    }
    try {
      await record.finish(answer)
    } catch (error) {
      // What was done is recorded with each write. A full workspace can still be asked, and another request may have
      // used the key meanwhile.
      if (!(error instanceof Refusal)) throw error
      answer.warnings.push('answer_not_recorded')
    }
    return answer
  }
}

const INTERRUPTED =
  'This request was interrupted before its answer was complete. What it had done by then is listed in actions; ' +
  'nothing was done anew.'

function gone(): Refusal {
  return new Refusal('unavailable', 'The caller has gone.')
}

function withActions(refusal: Refusal, actions: readonly Action[]): Refusal {
  return new Refusal(refusal.code, refusal.detail, { ...refusal.extra, actions }, refusal.headers)
}

function estimated(ask: Ask, text: string) {
  return { prompt: ask.promptTokens, completion: estimateTokens(text), estimated: true }
}

/** What it cost. Nothing is loaded, and reading the question is not told apart from answering it. */
function measured({ steps, tokens }: Ending, ask: Ask, text: string, toolCalls: number, duration: number) {
  const { prompt, completion, estimated: guessed = false } = tokens ?? estimated(ask, text)
  return {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      steps,
      tool_calls: toolCalls,
      estimated: guessed,
    },
    total_duration: duration,
    load_duration: 0,
    prompt_eval_count: prompt,
    prompt_eval_duration: 0,
    eval_count: completion,
    eval_duration: duration,
  }
}
