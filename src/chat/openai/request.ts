import type { PassThrough } from '../pass-through'
import { isEmptyMember, unsupportedParameter } from '../request'
import type { ChatRequest } from '../schema'
import { toChatMessage } from './messages'
import type { NamedModel } from './models'
import { toPassThrough } from './pass-through'
import { type ChatCompletionRequest, chatCompletionRequest } from './schema'

/** Warnings about ignored members, at most. */
const MAX_WARNINGS = 20

const REQUEST_MEMBERS = Object.keys(chatCompletionRequest.properties)
const MESSAGE_MEMBERS = Object.keys(chatCompletionRequest.properties.messages.items.properties)
/** Members about tools of the client, which mean nothing without them. */
const TOOL_MEMBERS = ['tool_choice', 'parallel_tool_calls']
/** Members of `x_satchel` that mean nothing to a language model alone. */
const CHAT_MEMBERS = ['mode', 'scope', 'time_zone'] as const
/** Members of our answers that clients send back. */
const ECHOED_MEMBERS = ['refusal', 'annotations', 'x_satchel']

/** A request in the form of the service, with warnings about ignored members. */
interface ReadRequest {
  readonly chatRequest: ChatRequest | PassThrough
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
  const passThrough = toPassThrough(request, named.model)
  if (passThrough) return { chatRequest: passThrough, warnings: listIgnored(request, REQUEST_MEMBERS, CHAT_MEMBERS) }
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
  const known = REQUEST_MEMBERS.filter((name) => !TOOL_MEMBERS.includes(name))
  return { chatRequest, warnings: listIgnored(request, known, []) }
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
  if (!isEmptyMember(request.functions))
    throw unsupportedParameter('/functions', 'functions are not offered: use tools')
  if (!isEmptyMember(request.audio)) throw unsupportedParameter('/audio', 'audio is not offered: answers are text')
  const modalities = request.modalities ?? []
  if (!Array.isArray(modalities) || modalities.some((modality) => modality !== 'text'))
    throw unsupportedParameter('/modalities', 'modalities other than text are not offered')
}

/**
 * Lists the members that have no effect.
 * @param ofSatchel members of `x_satchel` that have none
 */
function listIgnored(
  request: ChatCompletionRequest,
  known: readonly string[],
  ofSatchel: readonly (typeof CHAT_MEMBERS)[number][],
): string[] {
  const ofMessages = request.messages.flatMap((message) =>
    listUnknown(message, [...MESSAGE_MEMBERS, ...(message.role === 'assistant' ? ECHOED_MEMBERS : [])]),
  )
  const names = new Set([
    ...listUnknown(request, known),
    ...ofMessages.map((name) => `messages.${name}`),
    ...ofSatchel.filter((name) => request.x_satchel?.[name] !== undefined).map((name) => `x_satchel.${name}`),
  ])
  return [...names].slice(0, MAX_WARNINGS).map((name) => `ignored:${name}`)
}

/** Lists unknown members with a value. Names of another form are left out, since they are echoed in the answer. */
function listUnknown(object: object, known: readonly string[]): string[] {
  return Object.entries(object)
    .filter(([name, value]) => value !== null && !known.includes(name) && /^[a-z][a-z0-9_]{0,39}$/.test(name))
    .map(([name]) => name)
}
