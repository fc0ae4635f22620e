import { invalid } from '../../http/api-error'
import type { ModelMessage, ToolCall } from '../pass-through'
import { isEmptyMember, unsupportedParameter } from '../request'
import type { ChatRequest } from '../schema'
import type { ChatCompletionRequest } from './schema'

type Message = ChatCompletionRequest['messages'][number]

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const
type Role = (typeof ROLES)[number]

/** Converts a message for chat; there are no results of tools in it. */
export function toChatMessage(message: Message, i: number): ChatRequest['messages'][number] {
  const role = readRole(message, i)
  return { role: role === 'tool' ? 'user' : role, content: toText(message, i) }
}

/**
 * Converts the messages for a language model alone, each result with the call to which it belongs.
 * @throws ApiError unsupported_parameter, invalid_request
 */
export function toTurns(messages: readonly Message[]): ModelMessage[] {
  const converter = new TurnConverter()
  const turns = messages.map((message, i) => converter.convert(message, i))
  converter.end(messages.length - 1)
  const last = turns.findLastIndex(({ role }) => role !== 'system')
  if (last < 0 || turns[last]?.role === 'assistant')
    throw invalid(
      `/messages/${Math.max(last, 0)}/role`,
      'not_last',
      'the last message must be of the role user or tool',
    )
  return turns
}

/** Servers refuse a conversation in which a call has no result, or a result no call. */
class TurnConverter {
  /** The calls that have no result yet, by their ids. */
  #open = new Map<string, ToolCall>()

  convert(message: Message, i: number): ModelMessage {
    const role = readRole(message, i)
    const content = toText(message, i)
    if (role === 'tool') return { role, content, call: this.#close(message, i) }
    this.end(i)
    if (role === 'assistant') return { role, content, calls: this.#openCalls(message, i) }
    return { role: role === 'user' ? role : 'system', content }
  }

  /** @throws ApiError invalid_request if a result is missing before the message `i` */
  end(i: number): void {
    if (this.#open.size > 0)
      throw invalid(
        `/messages/${i}`,
        'invalid_value',
        'each of tool_calls must have a result, a message of the role tool',
      )
  }

  #openCalls({ tool_calls }: Message, i: number): ToolCall[] {
    const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: sent } }) => ({
      id,
      name,
      arguments: sent,
    }))
    this.#open = new Map(calls.map((call) => [call.id, call]))
    if (this.#open.size < calls.length)
      throw invalid(`/messages/${i}/tool_calls`, 'invalid_value', 'the ids of tool_calls must differ')
    return calls
  }

  #close({ tool_call_id }: Message, i: number): ToolCall {
    const call = this.#open.get(tool_call_id ?? '')
    if (!call)
      throw invalid(
        `/messages/${i}/tool_call_id`,
        'invalid_value',
        'tool_call_id must be the id of a call just before, which has no other result',
      )
    this.#open.delete(call.id)
    return call
  }
}

function readRole({ role, function_call }: Message, i: number): Role {
  const pointer = `/messages/${i}`
  if (role === 'function') throw unsupportedParameter(`${pointer}/role`, 'the role function is not offered: use tools')
  if (!isEmptyMember(function_call))
    throw unsupportedParameter(`${pointer}/function_call`, 'function_call is not offered: use tools')
  const known = ROLES.find((one) => one === role)
  if (!known) throw invalid(`${pointer}/role`, 'invalid_value', `role must be one of: ${ROLES.join(', ')}`)
  return known
}

function toText({ content }: Message, i: number): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  const pointer = `/messages/${i}/content`
  return content
    .map(({ type, text }, part) => {
      if (type !== 'text')
        throw unsupportedParameter(`${pointer}/${part}/type`, 'parts other than text are not offered')
      if (text === undefined) throw invalid(`${pointer}/${part}/text`, 'required', 'text is required')
      return text
    })
    .join('\n')
}
