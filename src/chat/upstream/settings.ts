/** Where the language model is and how much a request may take of it. */
export interface UpstreamSettings {
  /** With the version where the server has one: `https://host/v1`; for `ollama` the bare host. */
  readonly baseUrl: string
  readonly model: string
  /** Sent as a bearer token to `baseUrl` alone; null where the server wants none. */
  readonly apiKey: string | null
  readonly dialect: 'openai' | 'ollama'
  /** Tokens of prompt and answer together. */
  readonly numCtx: number
  /** Milliseconds until the first byte of each answer, between two pieces of it, and for the whole request. */
  readonly firstByteMs: number
  readonly stallMs: number
  readonly totalMs: number
  /** Of one request: how often the model is asked, how many calls of tools it may make, how many tokens it may write. */
  readonly maxSteps: number
  readonly maxToolCalls: number
  readonly maxOutputTokens: number
}

export interface UpstreamDependencies {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: {
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  /** Waits for that many milliseconds; rejects when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}
