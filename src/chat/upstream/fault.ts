/** What is wrong with an answer of the model's server, for the log. Whoever catches it makes an UpstreamFailed of it. */
export class AnswerFault extends Error {
  override readonly name = 'AnswerFault'

  constructor(
    message: string,
    /** What the server sent, as far as it was kept. */
    readonly excerpt = '',
  ) {
    super(message)
  }
}
