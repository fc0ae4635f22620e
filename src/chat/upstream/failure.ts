/** What a run had done when its model failed: as far as it may still be answered otherwise, and what it has cost. */
export interface ModelProgress {
  /** Text was said or an action reported: nothing else may answer any more. */
  readonly began: boolean
  /** How often the model was asked. */
  readonly steps: number
  /** Tokens of all steps so far; `estimated` where the model did not count them. */
  readonly tokens: ModelTokens
}

export interface ModelTokens {
  readonly prompt: number
  readonly completion: number
  readonly estimated: boolean
}

/** The fixed sentences that callers see. What the server really said is in the log alone. */
const SENTENCES = {
  upstream_failed: 'The language model failed to answer.',
  upstream_timeout: 'The language model did not answer in time.',
} as const

/** The language model did not answer. Its message is fit for callers: it holds nothing of what the server sent. */
export class UpstreamFailed extends Error {
  override readonly name = 'UpstreamFailed'

  constructor(
    readonly code: keyof typeof SENTENCES,
    readonly progress: ModelProgress,
  ) {
    super(SENTENCES[code])
  }

  get began(): boolean {
    return this.progress.began
  }
}
