import { AnswerFault } from '../../http/outgoing'
import { type EngineRun, type ModelProgress, type ModelRun, type UpstreamEnding, UpstreamFailed } from '../engine'
import type { PassThrough } from '../pass-through'
import { echoCall, parseArguments } from './calls'
import type { ModelClient, UpstreamSettings } from './client'
import { countPromptTokens, estimateModelTokens } from './prompt'
import { type ModelStep, readStep, SpokenText, StepUsage } from './step'

const NO_TOKENS = { prompt: 0, completion: 0, estimated: false }

/**
 * One request to the model, as the client wrote it. The calls in the answer are for the client: this class has no tools
 * to run.
 */
export class PassedRequest implements ModelRun {
  readonly #run: EngineRun
  readonly #request: PassThrough
  readonly #settings: UpstreamSettings
  readonly #client: ModelClient
  readonly #signal: AbortSignal
  readonly #speech: SpokenText
  #usage: StepUsage | null = null

  constructor(
    run: EngineRun,
    request: PassThrough,
    settings: UpstreamSettings,
    client: ModelClient,
    signal: AbortSignal,
  ) {
    this.#run = run
    this.#request = request
    this.#settings = settings
    this.#client = client
    this.#signal = signal
    this.#speech = new SpokenText(run, run.ask)
  }

  get progress(): ModelProgress {
    return { began: this.#speech.began, steps: this.#usage ? 1 : 0, tokens: this.#usage?.tokens ?? NO_TOKENS }
  }

  async answer(): Promise<UpstreamEnding> {
    const { maxTokens } = this.#request
    const room = Math.min(this.#settings.maxOutputTokens, Math.floor(this.#settings.numCtx / 2))
    const step = await this.#askModel(Math.min(maxTokens ?? room, room))
    if (step.end === 'length' && (maxTokens ?? Number.POSITIVE_INFINITY) > room) this.#run.warn('budget_exhausted')
    // An answer that is cut off may have lost a part of its calls.
    if (step.end === 'whole') this.#returnCalls(step)
    return { reason: step.end === 'length' ? 'length' : 'stop', steps: 1, tokens: this.progress.tokens }
  }

  async #askModel(maxTokens: number): Promise<ModelStep> {
    const { model, numCtx } = this.#settings
    const { tools, rules, options } = this.#request
    const turns = this.#request.turns.map((turn) =>
      turn.role === 'assistant' ? { ...turn, calls: turn.calls.map(echoCall) } : turn,
    )
    const format = rules.format ? estimateModelTokens(JSON.stringify(rules.format)) : 0
    const promptTokens = countPromptTokens(turns, tools) + format
    if (promptTokens > numCtx - maxTokens) throw new UpstreamFailed('too_large', this.progress)
    this.#warnOfIgnored()
    this.#usage = new StepUsage(maxTokens, promptTokens)
    const question = { model, turns, tools, maxTokens, numCtx, options, rules }
    const pieces = this.#client.ask(question, this.#signal, true)
    // Ids that the server left out are made here, unlike those of earlier answers in the conversation.
    const number = turns.filter(({ role }) => role === 'assistant').length + 1
    return readStep(pieces, this.#speech, this.#usage, number)
  }

  /** Ollama's own API takes tools, but does not let a client choose how they are called. */
  #warnOfIgnored(): void {
    if (this.#settings.dialect !== 'ollama') return
    const { toolChoice, parallelToolCalls } = this.#request.rules
    if (toolChoice !== null && toolChoice !== 'auto' && toolChoice !== 'none') this.#run.warn('ignored:tool_choice')
    if (parallelToolCalls !== null) this.#run.warn('ignored:parallel_tool_calls')
  }

  #returnCalls({ calls }: ModelStep): void {
    const { tools, rules, parsesArguments } = this.#request
    if (tools.length === 0 || rules.toolChoice === 'none') return
    const parsed = calls.map((call) => ({ call, args: parseArguments(call.arguments) }))
    const broken = parsesArguments && parsed.find(({ args }) => args === null)
    if (broken)
      throw new AnswerFault('the arguments of a call are not a JSON object', { excerpt: broken.call.arguments })
    for (const { call, args } of parsed) {
      // Servers send no text or null for no arguments, but clients parse it as JSON.
      this.#run.returnCall(args && Object.keys(args).length === 0 ? { ...call, arguments: '{}' } : call)
    }
  }
}
