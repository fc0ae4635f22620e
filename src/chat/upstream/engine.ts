import { AnswerFault, TimeLimit } from '../../http/outgoing'
import {
  type Engine,
  type EngineEnding,
  type EngineRun,
  type ModelProgress,
  type ModelTokens,
  UpstreamFailed,
} from '../engine'
import { unsupportedParameter } from '../request'
import { echoCall } from './calls'
import type { ModelMessage, ToolDescription } from './chat-completions'
import type { UpstreamDependencies, UpstreamLimits, UpstreamSettings } from './client'
import { findCause, limitsOf, ModelClient, ModelRefusal, OutOfTokens } from './client'
import { type Conversation, countPromptTokens, countToolTokens, fitPrompt, startConversation } from './prompt'
import { type ModelStep, readStep, SpokenText, StepUsage, VisibleText } from './step'
import { ToolCaller } from './tool-caller'

/** Bytes of a server's response that are logged. */
const MAX_LOGGED_BYTES = 2048

/**
 * Creates the engine of a language model: it sends a request, runs the tools that the model calls, and repeats that
 * within its limits. `answer` throws an UpstreamFailed if the model does not answer, and the reason of the run's signal
 * when that is aborted. Warnings: `budget_exhausted`, `tools_stopped` (calls without progress), `prompt_shortened`,
 * `upstream_refused_tools` (the model got what a search found instead).
 */
export function createUpstream(
  settings: UpstreamSettings,
  deps: UpstreamDependencies,
  catalogue: readonly ToolDescription[],
): Engine {
  const client = new ModelClient(settings, deps)
  return {
    name: 'upstream',
    model: settings.model,
    async answer(run) {
      const total = new TimeLimit('the answer took too long')
      const life = AbortSignal.any([run.signal, total.signal])
      const work = new ToolLoop(run, settings, client, life, startConversation(run.ask, deps.now()), catalogue)
      try {
        total.set(limitsOf(settings).totalMs)
        return await work.answer()
      } catch (error) {
        if (run.signal.aborted) throw run.signal.reason
        if (!(error instanceof AnswerFault)) throw error
        logFault(error, settings, deps.log)
        if (error instanceof ModelRefusal && error.refused === 'images')
          throw unsupportedParameter('/messages', 'the language model takes no images')
        throw new UpstreamFailed(error.code, findCause(error), work.progress)
      } finally {
        total.stop()
      }
    },
  }
}

/** API keys of this server, which a caller may have put into a message. */
const OUR_KEYS = /satchel_\w+/g

/** Logs a fault, with all keys hidden, in case the server sent them back. */
function logFault(fault: AnswerFault, { model, apiKey }: UpstreamSettings, log: UpstreamDependencies['log']): void {
  const { message, status, lasting } = fault
  // Hide keys before the cut, which could leave half a key that is not recognized.
  const ours = fault.excerpt.replace(OUR_KEYS, 'satchel_***')
  const hidden = apiKey ? ours.replaceAll(apiKey, '*'.repeat(apiKey.length)) : ours
  const excerpt = Buffer.from(hidden.slice(0, MAX_LOGGED_BYTES)).subarray(0, MAX_LOGGED_BYTES).toString()
  const fields = { model, fault: message, status, excerpt }
  log[lasting ? 'error' : 'warn'](fields, 'the language model did not answer')
}

/** The loop of requests and tool calls of one run. */
class ToolLoop {
  readonly #run: EngineRun
  readonly #model: string
  readonly #limits: UpstreamLimits
  readonly #client: ModelClient
  readonly #signal: AbortSignal
  readonly #conversation: Omit<Conversation, 'found' | 'exchange'>
  /** What a search found for the question, once the model has refused its tools; null for one that takes them. */
  #found: string | null = null
  readonly #exchange: ModelMessage[] = []
  readonly #speech: SpokenText
  readonly #caller: ToolCaller
  readonly #usages: StepUsage[] = []
  /** Whether the model needed more than a budget of the request. */
  #exhausted = false

  constructor(
    run: EngineRun,
    settings: UpstreamSettings,
    client: ModelClient,
    life: AbortSignal,
    conversation: Omit<Conversation, 'found' | 'exchange'>,
    catalogue: readonly ToolDescription[],
  ) {
    this.#run = run
    this.#model = settings.model
    this.#limits = limitsOf(settings)
    this.#client = client
    this.#signal = life
    this.#conversation = conversation
    this.#speech = new SpokenText(run)
    this.#caller = new ToolCaller(run, catalogue, this.#limits.maxToolCalls)
  }

  get progress(): ModelProgress {
    const began = this.#speech.began || this.#caller.hasActed
    return { began, steps: this.#usages.length, tokens: sumTokens(this.#usages.map((seen) => seen.tokens)) }
  }

  async answer(): Promise<EngineEnding> {
    let wordsOnly = false
    for (;;) {
      const tools = wordsOnly || this.#stepsLeft === 1 || this.#found !== null ? [] : this.#caller.openTools
      const hasThought = this.#client.thinks
      const step = await this.#askModel(tools)
      if (step === null) continue
      if (step.end === 'said') return this.#toEnding(this.#run.ended ?? 'stop')
      // A model that has only thought, within the tokens of an answer, is asked once more with those of reasoning.
      const mayThink = !hasThought && this.#client.thinks && step.text === '' && this.#stepsLeft > 0
      if (step.end === 'length' && !mayThink) return this.#endOutOfTokens()
      if (step.end === 'length') continue
      if (tools.length > 0 && step.calls.length > 0) {
        await this.#runCalls(step)
        if (this.#tokensLeft <= 0) return this.#endOutOfTokens()
        // Only one step is left, without tools, though the model may want to call more.
        if (this.#stepsLeft === 1 && this.#caller.closed === null) this.#exhaust()
      } else if (step.text !== '') return this.#toEnding('stop')
      else if (wordsOnly || this.#stepsLeft === 0 || this.#tokensLeft <= 0) return this.#endWithoutWords()
      else wordsOnly = true
    }
  }

  get #stepsLeft(): number {
    return this.#limits.maxSteps - this.#usages.length
  }

  get #tokensLeft(): number {
    return this.#limits.maxOutputTokens - this.#usages.reduce((sum, { answerTokens }) => sum + answerTokens, 0)
  }

  /**
   * Runs one step; null if the model refuses its tools, so that it is to be asked without them. The room for its answer
   * is subtracted from the context before the prompt is cut to fit.
   */
  async #askModel(tools: readonly ToolDescription[]): Promise<ModelStep | null> {
    const { contextTokens, reasoningTokens } = this.#limits
    const answer = Math.min(this.#tokensLeft, Math.floor(contextTokens / 2))
    const fitted = fitPrompt(
      { ...this.#conversation, found: this.#found ?? '', exchange: this.#exchange },
      contextTokens - answer - countToolTokens(tools),
    )
    if (!fitted) throw new AnswerFault('the prompt does not fit into the context of the model')
    if (fitted.shortened) this.#run.warn('prompt_shortened')
    const mayRetry = !this.progress.began
    const usage = new StepUsage({ answer, reasoning: reasoningTokens }, countPromptTokens(fitted.turns, tools))
    const maxTokens = answer + (this.#client.thinks ? reasoningTokens : 0)
    const question = { model: this.#model, turns: fitted.turns, tools, maxTokens, options: this.#run.ask.options }
    const { beginning } = this.#client
    const visible = new VisibleText(beginning === 'unopened' || (beginning === null && !this.#run.streams))
    this.#usages.push(usage)
    try {
      const pieces = this.#client.ask(question, this.#signal, mayRetry)
      const step = await readStep(pieces, { speech: this.#speech, visible, usage }, this.#usages.length)
      if (visible.wasUnopened) this.#client.beginning = 'unopened'
      else if (step.end === 'whole' && step.text !== '') this.#client.beginning ??= 'plain'
      this.#client.thinks ||= usage.hasThought
      return step
    } catch (error) {
      if (!(error instanceof ModelRefusal) || error.refused !== 'tools' || this.#exchange.length > 0) throw error
      this.#usages.pop()
      this.#run.warn('upstream_refused_tools')
      this.#found = await this.#caller.lookUp(this.#conversation.question)
      return null
    }
  }

  /**
   * Runs the calls in order. Every call needs a result, since servers refuse a conversation in which one is missing.
   */
  async #runCalls({ text, calls, others }: ModelStep): Promise<void> {
    this.#exchange.push({ role: 'assistant', content: text, calls: calls.map(echoCall), others })
    for (const call of calls) {
      this.#signal.throwIfAborted()
      this.#exchange.push({ role: 'tool', content: await this.#caller.call(call), call: echoCall(call) })
    }
    if (this.#caller.closed === 'budget') this.#exhaust()
  }

  #exhaust(): void {
    this.#exhausted = true
    this.#run.warn('budget_exhausted')
  }

  /** Ends a run without tokens. If nothing was sent, it throws, so that another engine can answer. */
  #endOutOfTokens(): EngineEnding {
    if (!this.progress.began) throw new OutOfTokens('no tokens were left for a word')
    this.#exhaust()
    return this.#toEnding('length')
  }

  #endWithoutWords(): EngineEnding {
    if (!this.#speech.began) throw new AnswerFault('the answer is empty')
    return this.#toEnding('stop')
  }

  #toEnding(reason: EngineEnding['reason']): EngineEnding {
    const { steps, tokens } = this.progress
    return { reason: this.#exhausted ? 'length' : reason, steps, tokens }
  }
}

function sumTokens(parts: readonly ModelTokens[]): ModelTokens {
  return {
    prompt: parts.reduce((all, { prompt }) => all + prompt, 0),
    completion: parts.reduce((all, { completion }) => all + completion, 0),
    estimated: parts.some(({ estimated }) => estimated),
  }
}
