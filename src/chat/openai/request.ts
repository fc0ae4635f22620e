import { invalid } from '../../http/api-error'
import { isEmptyMember, unsupportedParameter } from '../request'
import type { ChatRequest } from '../schema'
import type { NamedModel } from './models'
import { type ChatCompletionRequest, chatCompletionRequest } from './schema'

/** Warnings about ignored members, at most. */
const MAX_WARNINGS = 20

type Message = ChatCompletionRequest['messages'][number]
type Role = ChatRequest['messages'][number]['role']

const ROLES: readonly string[] = ['system', 'developer', 'user', 'assistant'] satisfies Role[]
const REQUEST_MEMBERS = Object.keys(chatCompletionRequest.properties)
const MESSAGE_MEMBERS = Object.keys(chatCompletionRequest.properties.messages.items.properties)
/** Members of our answers that clients send back. */
const ECHOED_MEMBERS = ['refusal', 'annotations', 'x_satchel']

/**
 * Converts a request, with warnings about ignored members. A mode in the request wins over that of the model's name,
 * which is `read` for most, since chat front ends also send prompts to make titles and tags.
 * @param named the meaning of the model's name
 * @throws ApiError unsupported_parameter, invalid_request
 */
export function toChatRequest(
  request: ChatCompletionRequest,
  named: NamedModel,
): { chatRequest: ChatRequest; warnings: string[] } {
  refuseUnsupported(request)
  const { mode, scope, confirm, time_zone } = request.x_satchel ?? {}
  const chatRequest: ChatRequest = {
    messages: request.messages.map(toMessage),
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
  for (const name of ['tools', 'functions', 'audio'] as const)
    if (!isEmptyMember(request[name]))
      throw unsupportedParameter(`/${name}`, `${name} are not offered: chat uses the server's own`)
  if (!isTextFormat(request.response_format))
    throw unsupportedParameter('/response_format', 'response_format is not offered: answers are text')
  const modalities = request.modalities ?? []
  if (!Array.isArray(modalities) || modalities.some((modality) => modality !== 'text'))
    throw unsupportedParameter('/modalities', 'modalities other than text are not offered')
}

function isTextFormat(format: unknown): boolean {
  return (
    isEmptyMember(format) ||
    (typeof format === 'object' && format !== null && 'type' in format && format.type === 'text')
  )
}

function toMessage(message: Message, i: number): ChatRequest['messages'][number] {
  const { role } = message
  if (role === 'tool' || role === 'function')
    throw unsupportedParameter(
      `/messages/${i}/role`,
      `the role ${role} is not offered: results come from the server only`,
    )
  if (!isRole(role)) throw invalid(`/messages/${i}/role`, 'invalid_value', `role must be one of: ${ROLES.join(', ')}`)
  for (const name of ['tool_calls', 'function_call'] as const)
    if (!isEmptyMember(message[name]))
      throw unsupportedParameter(`/messages/${i}/${name}`, `${name} is not offered: results come from the server only`)
  return { role, content: toText(message.content, `/messages/${i}/content`) }
}

function isRole(role: string): role is Role {
  return ROLES.includes(role)
}

function toText(content: Message['content'], pointer: string): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content
    .map(({ type, text }, i) => {
      if (type !== 'text') throw unsupportedParameter(`${pointer}/${i}/type`, 'parts other than text are not offered')
      if (text === undefined) throw invalid(`${pointer}/${i}/text`, 'required', 'text is required')
      return text
    })
    .join('\n')
}

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
    .filter(([name, value]) => value !== null && !known.includes(name) && /^[a-z][a-z0-9_]{0,39}$/.test(name))
    .map(([name]) => name)
}
