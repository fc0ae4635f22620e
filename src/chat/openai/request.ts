import { isEmptyMember, OWN_TOOLS, refuseTools, refuseUnlessEmpty, unsupportedParameter } from '../request'
import type { ChatRequest } from '../schema'
import { toChatMessage } from './messages'
import type { NamedModel } from './models'
import { type ChatCompletionRequest, chatCompletionRequest } from './schema'

/** Warnings about ignored members, at most. */
const MAX_WARNINGS = 20

/** Members with an effect; tools have one only in that they are refused. */
const REQUEST_MEMBERS = Object.keys(chatCompletionRequest.properties).filter((name) => !name.startsWith('tool'))
const MESSAGE_MEMBERS = Object.keys(chatCompletionRequest.properties.messages.items.properties)
/** Members of our answers that clients send back. */
const ECHOED_MEMBERS = ['refusal', 'annotations', 'x_satchel']

/** A request in the form of the service, with warnings about ignored members. */
interface ReadRequest {
  readonly chatRequest: ChatRequest
  readonly warnings: string[]
}

/**
 * Converts a request. A mode in the request wins over that of the model's name, which is `read` for most, since chat
 * front ends also send prompts to make titles and tags.
 * @param named the meaning of the model's name
 * @throws ApiError unsupported_parameter, invalid_request
 */
export function toChatRequest(request: ChatCompletionRequest, named: NamedModel): ReadRequest {
  refuseUnsupported(request)
  const { mode, scope, confirm, time_zone } = request.x_satchel ?? {}
  const chatRequest: ChatRequest = {
    messages: request.messages.map(toChatMessage),
    model: named.model,
    mode: mode ?? named.mode,
    ...(scope && { scope }),
    ...(confirm && { confirm }),
    ...(time_zone !== undefined && { time_zone }),
    options: toOptions(request),
  }
  return { chatRequest, warnings: listIgnored(request) }
}

function toOptions(request: ChatCompletionRequest): NonNullable<ChatRequest['options']> {
  const { temperature, top_p, seed, stop } = request
  const limit = request.max_completion_tokens ?? request.max_tokens
  return {
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { top_p }),
    ...(typeof seed === 'number' && { seed }),
    ...(stop && { stop: typeof stop === 'string' ? [stop] : stop }),
    ...(typeof limit === 'number' && { num_predict: limit }),
  }
}

function refuseUnsupported(request: ChatCompletionRequest): void {
  if ((request.n ?? 1) > 1) throw unsupportedParameter('/n', 'n above 1 is not offered: there is one answer')
  refuseTools(request.tools, request.tool_choice)
  refuseUnlessEmpty(request.functions, '/functions', `functions are not offered: ${OWN_TOOLS}`)
  refuseUnlessEmpty(request.audio, '/audio', 'audio is not offered: answers are text')
  const format = request.response_format
  if (!isEmptyMember(format) && (format as { type?: unknown }).type !== 'text')
    throw unsupportedParameter('/response_format', 'response_format is offered with the type text')
  const modalities = request.modalities ?? []
  if (!Array.isArray(modalities) || modalities.some((modality) => modality !== 'text'))
    throw unsupportedParameter('/modalities', 'modalities other than text are not offered')
}

/** Lists the members that have no effect. */
function listIgnored(request: ChatCompletionRequest): string[] {
  const ofMessages = request.messages.flatMap((message) =>
    listUnknown(message, [...MESSAGE_MEMBERS, ...(message.role === 'assistant' ? ECHOED_MEMBERS : [])]),
  )
  const names = new Set([...listUnknown(request, REQUEST_MEMBERS), ...ofMessages.map((name) => `messages.${name}`)])
  return [...names].slice(0, MAX_WARNINGS).map((name) => `ignored:${name}`)
}

/** Lists unknown members with a value. Names of another form are left out, since they are echoed in the answer. */
function listUnknown(object: object, known: readonly string[]): string[] {
  return Object.entries(object)
    .filter(([name, value]) => !isEmptyMember(value) && !known.includes(name) && /^[a-z][a-z0-9_]{0,39}$/.test(name))
    .map(([name]) => name)
}
