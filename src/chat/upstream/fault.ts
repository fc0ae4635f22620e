/**
 * What is wrong with an answer of the model's server, in words for the log. The engine makes an UpstreamFailed of it,
 * which callers may see.
 */
export class AnswerFault extends Error {
  override readonly name = 'AnswerFault'
  readonly excerpt: string
  readonly status: number | null
  readonly code: 'upstream_failed' | 'upstream_timeout'

  /** `excerpt`: what the server sent, as far as it was kept; `status`: of its response, where that is what failed. */
  constructor(
    message: string,
    {
      excerpt = '',
      status = null,
      code = 'upstream_failed',
    }: Partial<Pick<AnswerFault, 'excerpt' | 'status' | 'code'>> = {},
  ) {
    super(message)
    this.excerpt = excerpt
    this.status = status
    this.code = code
  }

  /** Whether it will stay until somebody changes the settings: a key that is not taken, an address that moved. */
  get lasting(): boolean {
    return this.status !== null && (this.status === 401 || this.status === 403 || this.status < 400)
  }
}
