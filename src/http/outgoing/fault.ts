/**
 * What is wrong with an answer of a server that is not ours, in words for the log. Callers see what the engine of chat
 * and the encoder of search make of it.
 */
export class AnswerFault extends Error {
  override readonly name = 'AnswerFault'
  readonly excerpt: string
  readonly status: number | null
  readonly retryAfterMs: number | null
  readonly code: 'upstream_failed' | 'upstream_timeout'

  /**
   * `excerpt`: what the server sent, as far as it was kept; `status`: of its response, where that is what failed;
   * `retryAfterMs`: how long it asked us to wait.
   */
  constructor(
    message: string,
    {
      excerpt = '',
      status = null,
      retryAfterMs = null,
      code = 'upstream_failed',
    }: Partial<Pick<AnswerFault, 'excerpt' | 'status' | 'retryAfterMs' | 'code'>> = {},
  ) {
    super(message)
    this.excerpt = excerpt
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.code = code
  }

  /** Whether it will stay until somebody changes the settings: a key that is not taken, an address that moved. */
  get lasting(): boolean {
    return this.status !== null && (this.status === 401 || this.status === 403 || this.status < 400)
  }
}
