import { invalid } from '../http/api-error'
import type { ModelMessage, ModelTool, PassThrough, ToolCall, ToolChoice } from './pass-through'
import { isEmptyMember, unsupportedParameter } from './request'
import type { ClientTool } from './schema'

/** The tools of clients, their calls and results, as far as Ollama's API and OpenAI's have the same rules. */

/** A message as a client sent it. */
export interface SentTurn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly calls: readonly ToolCall[]
  /** Of the role `tool`: the id of the call, else the name of the tool; null for the first call without a result. */
  readonly resultOf: { readonly by: 'tool_call_id' | 'tool_name'; readonly value: string } | null
}

/**
 * Converts a conversation for a language model alone, each result with the call to which it belongs.
 * @throws ApiError invalid_request
 */
export function toTurns(messages: readonly SentTurn[]): ModelMessage[] {
  const matcher = new CallMatcher()
  const turns = messages.map((message, i) => matcher.convert(message, i))
  matcher.end(messages.length - 1)
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
class CallMatcher {
  /** The calls that have no result yet, by their ids. */
  #open = new Map<string, ToolCall>()

  convert({ role, content, calls, resultOf }: SentTurn, i: number): ModelMessage {
    if (role !== 'assistant' && calls.length > 0)
      throw invalid(`/messages/${i}/tool_calls`, 'invalid_value', 'tool_calls belong to the role assistant')
    if (role === 'tool') return { role, content, call: this.#close(resultOf, i) }
    this.end(i)
    if (role !== 'assistant') return { role, content }
    this.#open = new Map(calls.map((call) => [call.id, call]))
    if (this.#open.size < calls.length)
      throw invalid(`/messages/${i}/tool_calls`, 'invalid_value', 'the ids of tool_calls must differ')
    return { role, content, calls }
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

  #close(resultOf: SentTurn['resultOf'], i: number): ToolCall {
    const call = this.#find(resultOf)
    if (!call) {
      const detail = resultOf
        ? `${resultOf.by} must be ${WHAT_IT_NAMES[resultOf.by]} a call just before, which has no other result`
        : 'a message of the role tool must follow a call that has no other result'
      throw invalid(`/messages/${i}/${resultOf?.by ?? 'role'}`, 'invalid_value', detail)
    }
    this.#open.delete(call.id)
    return call
  }

  #find(resultOf: SentTurn['resultOf']): ToolCall | undefined {
    if (resultOf?.by === 'tool_call_id') return this.#open.get(resultOf.value)
    return [...this.#open.values()].find(({ name }) => !resultOf || name === resultOf.value)
  }
}

const WHAT_IT_NAMES = { tool_call_id: 'the id of', tool_name: 'the name of the tool of' } as const

/** The parts of a request that may make it one for a language model alone. */
interface SentParts {
  readonly tools?: unknown
  readonly messages: readonly { readonly role: string; readonly tool_calls?: unknown }[]
}

/** Returns the first part of a request that only a language model can serve. @param format the name of its member */
export function findReason({ tools, messages }: SentParts, format: string | null): PassThrough['because'] | null {
  if (!isEmptyMember(tools)) return { pointer: '/tools', name: 'tools' }
  if (format) return { pointer: `/${format}`, name: format }
  const i = messages.findIndex(({ role, tool_calls }) => role === 'tool' || !isEmptyMember(tool_calls))
  if (i < 0) return null
  const isResult = messages[i]?.role === 'tool'
  return isResult
    ? { pointer: `/messages/${i}/role`, name: 'the role tool' }
    : { pointer: `/messages/${i}/tool_calls`, name: 'tool_calls' }
}

/**
 * Refuses members of chat that would be lost beside the tools or the format of a client.
 * @param members by their pointers
 * @throws ApiError unsupported_parameter
 */
export function refuseBeside(members: Readonly<Record<string, unknown>>, { name }: PassThrough['because']): void {
  for (const [pointer, value] of Object.entries(members))
    if (!isEmptyMember(value))
      throw unsupportedParameter(pointer, `${pointer.split('/').at(-1)} is not offered beside ${name}`)
}

/** Converts a tool; one without parameters takes none. */
export function toModelTool({ function: { name, description, parameters, strict } }: ClientTool): ModelTool {
  return {
    name,
    description: description ?? '',
    input: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' && { strict }),
  }
}

/**
 * Reads the choice among the tools of a request.
 * @param pointer that of the name in the request
 * @throws ApiError invalid_request if it is none of them
 */
export function requireTool(name: string, tools: readonly ModelTool[], pointer: string): ToolChoice {
  if (!tools.some((tool) => tool.name === name))
    throw invalid(pointer, 'invalid_value', 'tool_choice must name one of the tools')
  return { name }
}
