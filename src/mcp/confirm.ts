import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { ApiError } from '../http/api-error'
import { findConfirmation, spendConfirmation, unknownConfirmation } from '../tools/confirmations'
import { cutToUtf8Bytes, escapeHidden } from '../tools/fit'
import type { ChangePreview, ChatAction } from '../tools/schema'
import type { ToolContext } from '../tools/tool'

const QUESTION = 'confirm'
/** Bytes of each side of a change in a question. */
const MAX_SIDE_BYTES = 2048

export interface SentCall {
  readonly name: string
  readonly args: unknown
}

/** Whether the client of a request can ask its user. It says so in each request since 2026-07-28. */
export function canAskUser({ mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {}
  // The SDK has checked the envelope.
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  const elicitation = capabilities?.elicitation
  // Without any mode it is the one with forms.
  return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation))
}

/** Makes the question that the client asks its user. Its state is the token of the confirmation. */
export function askUser({ summary, preview }: ChatAction, token: string): InputRequiredResult {
  const question = inputRequired.elicit({
    message: `${escapeHidden(summary)}\n${writeChange(preview)}Do it?`,
    requestedSchema: { type: 'object', properties: {} },
  })
  return inputRequired({ inputRequests: { [QUESTION]: question }, requestState: token })
}

/** Writes the lines of a change; '' for one that the summary names whole, such as a move to the trash. */
function writeChange(preview: ChangePreview | null): string {
  if (!preview?.after || preview.before.text + preview.after.text === '') return ''
  return writeSide('-', preview.before) + writeSide('+', preview.after)
}

/** Writes lines with a mark before each, so that none can pass for ours, and nothing is hidden. */
function writeSide(mark: string, { text, clipped }: ChangePreview['before']): string {
  if (text === '') return ''
  const whole = text.split(/\r\n|[\r\n\u2028\u2029]/).map(escapeHidden)
  const all = whole.map((line) => `${mark} ${line}\n`).join('')
  const shown = cutToUtf8Bytes(all, MAX_SIDE_BYTES)
  const end = shown.endsWith('\n') ? '' : '\n'
  return shown + end + (clipped || shown.length < all.length ? `${mark} …\n` : '')
}

export type UserDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'accept'; readonly token: string }
  | { readonly kind: 'decline'; readonly summary: string }

/**
 * Reads the decision that a call brings for the change that it requested before. A refusal spends the confirmation, and
 * so does a call without an answer, which is asked again.
 * @throws ProtocolError if its state is not one that this caller got for the same call, or was used before
 */
export async function readUserDecision(
  { mcpReq }: ServerContext,
  { session, now }: ToolContext,
  call: SentCall,
): Promise<UserDecision> {
  const token = mcpReq.requestState()
  if (typeof token !== 'string') return { kind: 'none' }
  const row = await findConfirmation(session, { token }, now).catch(refuseState)
  if (row.tool !== call.name || !Bun.deepEquals(JSON.parse(row.arguments), call.args))
    return refuseState(unknownConfirmation())
  const answer = inputResponse(mcpReq.inputResponses, QUESTION)
  if (answer.kind === 'elicit' && answer.action === 'accept') return { kind: 'accept', token }
  await spendConfirmation(session.db, session.workspace.id, row.key, now)
  return answer.kind === 'elicit' ? { kind: 'decline', summary: row.summary } : { kind: 'none' }
}

/**
 * Refuses a state of which we know nothing: unknown, spent, expired, of another call or another workspace. Rethrows an
 * error that is no ApiError.
 */
export function refuseState(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.detail, { code: error.code })
}
