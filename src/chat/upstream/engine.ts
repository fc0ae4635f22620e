import { AnswerFault, TimeLimit } from '../../http/outgoing'
import type { Engine, EngineEnding, EngineRun } from '../engine'
import { type ModelProgress, type ModelTokens, UpstreamFailed } from '../engine'
import { echoCall } from './calls'
import type { UpstreamDependencies, UpstreamSettings } from './client'
import { ModelClient } from './client'
import type { ModelMessage, ToolDescription } from './dialects'
import { type Conversation, fitPrompt, promptTokens, startConversation, toolTokens } from './prompt'
import { type ModelStep, SpokenText, StepUsage, takeStep } from './step'
import { ToolCaller } from './tool-caller'

/** Bytes of what a server sent that go to the log. */
const LOGGED = 2048

/** How an answer of this engine ended; `tokens.estimated` where the model's server did not count all of them. */
export interface UpstreamEnding extends EngineEnding {
  readonly tokens: ModelTokens
}

export interface UpstreamEngine extends Engine {
  answer(run: EngineRun): Promise<UpstreamEnding>
}

/**
 * A language model as an engine: asks, runs the tools it calls, asks again, within the budgets of the settings.
 * `answer` throws an UpstreamFailed when the model does not answer, and the reason of the run's signal when that is
 * aborted. Warnings: `budget_exhausted`, `tools_stopped` (its calls led nowhere), `prompt_shortened`.
 */
export function createUpstream(
  settings: UpstreamSettings,
  deps: UpstreamDependencies,
  catalogue: readonly ToolDescription[],
): UpstreamEngine {
  const client = new ModelClient(settings, deps)
  return {
    name: 'upstream',
    model: settings.model,
    async answer(run) {
      const total = new TimeLimit('the answer took too long')
      const life = AbortSignal.any([run.signal, total.signal])
      const loop = new Loop(run, settings, client, life, startConversation(run.ask, deps.now()), catalogue)
      try {
        total.set(settings.totalMs)
        return await loop.answer()
      } catch (error) {
        if (run.signal.aborted) throw run.signal.reason
        if (!(error instanceof AnswerFault)) throw error
        report(error, settings, deps.log)
        throw new UpstreamFailed(error.code, loop.progress)
      } finally {
        total.stop()
      }
    },
  }
}

/** Keys of ours, which a caller may have put into a message. */
const OUR_KEYS = /satchel_\w+/g

/** To the log, without keys, should the server have sent them back. */
function report(fault: AnswerFault, { model, apiKey }: UpstreamSettings, log: UpstreamDependencies['log']): void {
  const { message, status, lasting } = fault
  // Hidden before the cut, which could leave half of a key that nobody would know again.
  const ours = fault.excerpt.replace(OUR_KEYS, 'satchel_***')
  const hidden = apiKey ? ours.replaceAll(apiKey, '*'.repeat(apiKey.length)) : ours
  const excerpt = Buffer.from(hidden.slice(0, LOGGED)).subarray(0, LOGGED).toString()
  const fields = { model, fault: message, status, excerpt }
  log[lasting ? 'error' : 'warn'](fields, 'the language model did not answer')
}

/** One run of the loop. */
class Loop {
  readonly #run: EngineRun
  readonly #settings: UpstreamSettings
  readonly #client: ModelClient
  readonly #life: AbortSignal
  readonly #conversation: Omit<Conversation, 'exchange'>
  readonly #exchange: ModelMessage[] = []
  readonly #speech: SpokenText
  readonly #caller: ToolCaller
  readonly #seen: StepUsage[] = []
  /** The model wanted more than a budget of the request allows. */
  #exhausted = false

  constructor(
    run: EngineRun,
    settings: UpstreamSettings,
    client: ModelClient,
    life: AbortSignal,
    conversation: Omit<Conversation, 'exchange'>,
    catalogue: readonly ToolDescription[],
  ) {
    this.#run = run
    this.#settings = settings
    this.#client = client
    this.#life = life
    this.#conversation = conversation
    this.#speech = new SpokenText(run, run.ask)
    this.#caller = new ToolCaller(run, catalogue, settings.maxToolCalls)
  }

  get progress(): ModelProgress {
    const began = this.#speech.began || this.#caller.acted
    return { began, steps: this.#seen.length, tokens: sum(this.#seen.map((seen) => seen.tokens)) }
  }

  async answer(): Promise<UpstreamEnding> {
    let wordsOnly = false
    for (;;) {
      const tools = wordsOnly || this.#stepsLeft === 1 ? [] : this.#caller.open
      const step = await this.#ask(tools)
      if (step.end === 'said') return this.#ending(this.#speech.end ?? 'stop')
      if (step.end === 'length') return this.#outOfTokens()
      if (tools.length > 0 && step.calls.length > 0) {
        await this.#call(step)
        if (this.#tokensLeft <= 0) return this.#outOfTokens()
        // What is left is one step without tools: the model could not go on as it wanted to.
        if (this.#stepsLeft === 1 && this.#caller.closed === null) this.#exhaust()
      } else if (step.text !== '') return this.#ending('stop')
      else if (wordsOnly || this.#stepsLeft === 0 || this.#tokensLeft <= 0) return this.#withoutWords()
      else wordsOnly = true
    }
  }

  get #stepsLeft(): number {
    return this.#settings.maxSteps - this.#seen.length
  }

  get #tokensLeft(): number {
    return this.#settings.maxOutputTokens - this.progress.tokens.completion
  }

  /** One step. The room for its answer is taken off the context before the prompt is made to fit. */
  async #ask(tools: readonly ToolDescription[]): Promise<ModelStep> {
    const { model, numCtx } = this.#settings
    const maxTokens = Math.min(this.#tokensLeft, Math.floor(numCtx / 2))
    const fitted = fitPrompt(
      { ...this.#conversation, exchange: this.#exchange },
      numCtx - maxTokens - toolTokens(tools),
    )
    if (!fitted) throw new AnswerFault('the question does not fit into the context of the model')
    if (fitted.shortened) this.#run.warn('prompt_shortened')
    const mayRetry = !this.progress.began
    const seen = new StepUsage(maxTokens, promptTokens(fitted.turns, tools))
    this.#seen.push(seen)
    const question = { model, turns: fitted.turns, tools, maxTokens, numCtx, options: this.#run.ask.options }
    const pieces = this.#client.ask(question, this.#life, mayRetry)
    return takeStep(pieces, this.#speech, seen, this.#seen.length)
  }

  /** Runs the calls in their order; each needs its result, since a server refuses a conversation where one is missing. */
  async #call({ text, calls }: ModelStep): Promise<void> {
    this.#exchange.push({ role: 'assistant', content: text, calls: calls.map(echoCall) })
    for (const call of calls) {
      this.#life.throwIfAborted()
      this.#exchange.push({ role: 'tool', content: await this.#caller.call(call), call: echoCall(call) })
    }
    if (this.#caller.closed === 'budget') this.#exhaust()
  }

  #exhaust(): void {
    this.#exhausted = true
    this.#run.warn('budget_exhausted')
  }

  /** Where nothing was said or done, another engine may still do better than an empty answer. */
  #outOfTokens(): UpstreamEnding {
    if (!this.progress.began) throw new AnswerFault('no tokens were left for a word')
    this.#exhaust()
    return this.#ending('length')
  }

  #withoutWords(): UpstreamEnding {
    if (!this.#speech.began) throw new AnswerFault('the answer is empty')
    return this.#ending('stop')
  }

  #ending(reason: EngineEnding['reason']): UpstreamEnding {
    const { steps, tokens } = this.progress
    return { reason: this.#exhausted ? 'length' : reason, steps, tokens }
  }
}

function sum(parts: readonly ModelTokens[]): ModelTokens {
  return {
    prompt: parts.reduce((all, { prompt }) => all + prompt, 0),
    completion: parts.reduce((all, { completion }) => all + completion, 0),
    estimated: parts.some(({ estimated }) => estimated),
  }
}
