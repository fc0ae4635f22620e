import type { Context, Log, Session } from '../db/database'
import { getTimeSettings } from '../db/settings-store'
import { ApiError, internal } from '../http/api-error'
import type { IdempotencyKey } from '../http/responses'
import type { Executor } from '../tools/executor'
import type { ChatAction } from '../tools/schema'
import { type ToolOutcome, undoAll } from '../tools/tool'
import { keepUndo } from '../tools/undos'
import type { AnswerHead, EmitAnswer } from './answer-run'
import { AnswerRun } from './answer-run'
import { toAnswerText } from './answer-text'
import { type ConfirmationDecision, readDecision, readWaitingQuestion, reportOutcomes } from './confirmation'
import type { Engine, EngineEnding } from './engine'
import { UpstreamFailed } from './engine'
import { type Engines, LOCAL_MODEL } from './engines'
import type { EarlierRun, OpenRun, RunRecord } from './idempotent-runs'
import { estimateTokens, type ParsedRequest, readRequest } from './request'
import type { ChatAnswer, ChatRequest } from './schema'

interface ChatDependencies extends Pick<Context, 'now' | 'ids'> {
  readonly engines: Engines
  readonly executor: Executor
  readonly openRun: OpenRun
  readonly log: Pick<Log, 'error'>
}

/** A request as one of the APIs passes it on. */
export interface ChatCall {
  readonly session: Session
  readonly request: ChatRequest
  /** Its Idempotency-Key; null without one. */
  readonly repeatable: IdempotencyKey | null
  /** Warnings of that API; they come first in the answer. */
  readonly warnings: readonly string[]
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
  /** Whether the caller gets the answer while it is made. */
  readonly streams: boolean
  /** Takes the parts of the answer as they come. Its deltas add up to the text of the answer. */
  readonly emit: EmitAnswer
}

/** A request that has been read. */
interface CheckedRequest {
  readonly call: ChatCall
  readonly ask: ParsedRequest
  readonly record: RunRecord
  /** Milliseconds since 1970. */
  readonly started: number
}

/** A run whose engine has started. */
interface StartedRun {
  readonly run: AnswerRun
  readonly engine: Engine
  readonly about: AnswerHead
}

interface AnsweredRun extends StartedRun {
  readonly ending: EngineEnding
}

export class Chat {
  readonly #deps: ChatDependencies

  constructor(deps: ChatDependencies) {
    this.#deps = deps
  }

  /**
   * Answers the last user message. Throws an ApiError for faults that the schema cannot check, and if no engine
   * answers. If something was done before the error, it lists that in `actions`, and how to undo it in `undo`.
   */
  async answer(call: ChatCall): Promise<{ answer: ChatAnswer; replayed: boolean }> {
    const ask = await this.#read(call)
    const record = await this.#deps.openRun(call.session, call.repeatable)
    try {
      if (record.earlier.kind !== 'none')
        return { answer: this.#repeatAnswer(call, ask, record.earlier), replayed: true }
      const request = { call, ask, record, started: this.#deps.now() }
      return { answer: await this.#buildAnswer(request, await this.#runRequest(request)), replayed: false }
    } finally {
      record.close()
    }
  }

  async #read({ session: { db, workspace }, request }: ChatCall): Promise<ParsedRequest> {
    return readRequest(request, await getTimeSettings({ db, workspace }))
  }

  /** Repeats the answer of an earlier run that finished or died. Nothing is done again. */
  #repeatAnswer(call: ChatCall, ask: ParsedRequest, earlier: Exclude<EarlierRun, { kind: 'none' }>): ChatAnswer {
    const answer = earlier.kind === 'finished' ? earlier.answer : this.#buildInterrupted(call, ask, earlier.actions)
    const { id, model, created_at, message } = answer
    const about = { id, model, created_at, replayed: true }
    call.emit({ name: 'delta', data: message.content }, about)
    return answer
  }

  #buildInterrupted({ warnings }: ChatCall, ask: ParsedRequest, actions: readonly ChatAction[]): ChatAnswer {
    const { ids, now } = this.#deps
    return {
      id: ids(),
      model: LOCAL_MODEL,
      engine: 'local',
      created_at: new Date(now()).toISOString(),
      message: { role: 'assistant', content: INTERRUPTED },
      done: true,
      done_reason: 'stop',
      grounded: false,
      confidence: null,
      citations: [],
      actions: [...actions],
      undo: undoAll(actions),
      warnings: [...warnings, ...ask.warnings, 'interrupted'],
      ...countUsage(NO_ENGINE, ask, INTERRUPTED, 0, 0),
    }
  }

  #startRun({ call, ask, record, started }: CheckedRequest, engine: Engine, warning: string | null): StartedRun {
    const { executor, ids, now } = this.#deps
    const { session, signal, streams } = call
    const created_at = new Date(started).toISOString()
    const about: AnswerHead = { id: ids(), model: engine.model, created_at, replayed: false }
    const run = new AnswerRun({
      session,
      ask,
      signal,
      streams,
      executor,
      withModel: engine.name === 'upstream',
      now,
      record: (tx, action) => record.add(tx, action),
      emit: (event) => call.emit(event, about),
    })
    if (warning !== null) run.warn(warning)
    call.emit({ name: 'start' }, about)
    return { run, engine, about }
  }

  async #runRequest(request: CheckedRequest): Promise<AnsweredRun> {
    const { engines } = this.#deps
    const decision = readDecision(request.ask)
    if (decision) return this.#applyDecision(this.#startRun(request, engines.local, null), decision)
    const sayWaiting = readWaitingQuestion(request.ask.message)
    if (sayWaiting) return this.#askAgain(this.#startRun(request, engines.local, null), sayWaiting)
    const { engine, warning, leave } = await engines.choose(request.call.session, request.ask, request.call.signal)
    if (engine.name === 'local' && request.ask.needsModel) throw request.ask.needsModel
    const first = this.#startRun(request, engine, warning)
    if (engine.name === 'local') return { ...first, ending: await this.#runEngine(first) }
    try {
      return { ...first, ending: await this.#answerWithinBudget(first, leave) }
    } catch (error) {
      if (!(error instanceof UpstreamFailed)) throw error
      if (error.progress.began || request.ask.model !== 'auto' || request.ask.needsModel)
        throw withActions(new ApiError(error.code, error.message), first.run.actions)
      const second = this.#startRun(request, engines.local, error.cause)
      return { ...second, ending: await this.#runEngine(second) }
    }
  }

  async #applyDecision(started: StartedRun, decision: ConfirmationDecision): Promise<AnsweredRun> {
    const { executor } = this.#deps
    const { run } = started
    if (decision.cancel !== null) {
      const { summary } = await executor.cancel(run.toolContext(), decision.cancel)
      run.say(`Cancelled, nothing was done: ${toAnswerText(summary)}`)
    } else {
      const outcomes = await executor.confirm(run.toolContext(), decision)
      for (const outcome of outcomes) run.addOutcome(outcome)
      run.say(reportOutcomes(outcomes))
    }
    return { ...started, ending: NO_ENGINE }
  }

  /** Asks again for the confirmation of all that waits: only here does the user see what an agent has requested. */
  async #askAgain(started: StartedRun, say: (waiting: readonly ToolOutcome[]) => string): Promise<AnsweredRun> {
    const { run } = started
    const waiting = await this.#deps.executor.askAgain(run.toolContext())
    for (const outcome of waiting) run.addOutcome(outcome)
    run.say(say(waiting))
    return { ...started, ending: NO_ENGINE }
  }

  /** Runs the model, counts its tokens even if it fails, and then leaves its place to the next request. */
  async #answerWithinBudget(started: StartedRun, leave: () => void): Promise<EngineEnding> {
    const { engines } = this.#deps
    const { session, ask } = started.run
    let tokens: EngineEnding['tokens'] = null
    try {
      const ending = await this.#runEngine(started)
      tokens = ending.tokens
      return ending
    } catch (error) {
      if (error instanceof UpstreamFailed) tokens = error.progress.tokens
      throw error
    } finally {
      const { prompt, completion } = tokens ?? estimateTokensOf(ask, started.run.text)
      await engines.spend(session, prompt + completion).finally(leave)
    }
  }

  /** Runs the engine. Errors list what was done before them; unexpected ones are logged. */
  async #runEngine({ run, engine }: StartedRun): Promise<EngineEnding> {
    try {
      return await engine.answer(run)
    } catch (error) {
      if (run.signal.aborted) throw new ApiError('unavailable', 'The caller disconnected.')
      if (run.actions.length === 0 || error instanceof UpstreamFailed) throw error
      if (error instanceof ApiError) throw withActions(error, run.actions)
      this.#deps.log.error({ err: error }, 'an answer failed after something was done')
      throw withActions(internal(), run.actions)
    }
  }

  async #buildAnswer({ call, ask, record, started }: CheckedRequest, { run, engine, about, ending }: AnsweredRun) {
    const { text, citations, cut } = run.finish()
    const duration = Math.max(0, Math.round((this.#deps.now() - started) * 1e6))
    const answer: ChatAnswer = {
      id: about.id,
      model: engine.model,
      engine: engine.name,
      created_at: about.created_at,
      message: { role: 'assistant', content: text },
      done: true,
      done_reason: cut ? 'length' : ending.reason,
      // The text has no marks without a citation.
      grounded: citations.some(({ cited }) => cited) && run.rating?.answers !== false,
      confidence: run.rating ? Math.round(run.rating.confidence * 100) / 100 : null,
      citations,
      actions: run.actions,
      undo: undoAll(run.actions),
      warnings: [...call.warnings, ...ask.warnings, ...run.warnings],
      ...countUsage(ending, ask, text, run.toolCalls, duration),
    }
    try {
      await keepUndo(call.session, text, run.actions, this.#deps.now())
      await record.finish(answer)
    } catch (error) {
      // Actions are recorded already, with each write. The workspace may be full, or another request may have used the
      // key in the meantime: the answer is still valid.
      if (!(error instanceof ApiError)) throw error
      answer.warnings.push('answer_not_recorded')
    }
    return answer
  }
}

/** The end of a run without an engine. */
const NO_ENGINE: EngineEnding = { reason: 'stop', steps: 0, tokens: null }

const INTERRUPTED =
  'This request was interrupted before its answer was complete. What it had already done is listed in actions; ' +
  'nothing was done again.'

function withActions(refusal: ApiError, actions: readonly ChatAction[]): ApiError {
  return new ApiError(
    refusal.code,
    refusal.detail,
    { ...refusal.extra, actions, undo: undoAll(actions) },
    refusal.headers,
  )
}

function estimateTokensOf(ask: ParsedRequest, text: string) {
  return { prompt: ask.promptTokens, completion: estimateTokens(text), estimated: true }
}

/** Computes the usage of a run. No model is loaded here, and the time to read the prompt is not measured separately. */
function countUsage(
  { steps, tokens }: EngineEnding,
  ask: ParsedRequest,
  text: string,
  toolCalls: number,
  duration: number,
) {
  const { prompt, completion, estimated } = tokens ?? estimateTokensOf(ask, text)
  return {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      steps,
      tool_calls: toolCalls,
      estimated,
    },
    total_duration: duration,
    load_duration: 0,
    prompt_eval_count: prompt,
    prompt_eval_duration: 0,
    eval_count: completion,
    eval_duration: duration,
  }
}
