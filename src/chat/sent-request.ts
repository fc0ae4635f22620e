import { invalid } from '../http/api-error'
import { findReason, refuseBeside, requireTool, type SentTurn, toModelTool, toTurns } from './client-tools'
import { createCallId, type ModelTool, type PassThrough, type ResponseFormat, type ToolChoice } from './pass-through'
import { isEmptyMember, listIgnored, refuseUnlessEmpty, unsupportedParameter } from './request'
import type { ChatRequest, SentChatRequest } from './schema'

/** Requests as clients of Ollama send them, also to POST /api/chat. */

type SentMessage = SentChatRequest['messages'][number]

interface ReadRequest {
  readonly chatRequest: ChatRequest | PassThrough
  /** What has no effect; of a request for chat the service lists that. */
  readonly warnings: readonly string[]
}

/**
 * Reads a request: for chat, or for a language model alone if it has tools of the client, results of them, or a
 * format.
 * @throws ApiError unsupported_parameter, invalid_request
 */
export function readSentRequest(request: SentChatRequest): ReadRequest {
  const { messages, tools, tool_choice, format: sentFormat, ...rest } = request
  messages.forEach(({ images }, i) => {
    refuseUnlessEmpty(images, `/messages/${i}/images`, 'images are not offered: messages are text')
  })
  const format = readFormat(sentFormat)
  const because = findReason(request, format && 'format')
  if (because) return toPassThrough(request, format, because)
  return { chatRequest: { ...rest, messages: messages.map(toChatMessage) }, warnings: listUnused(request) }
}

function toPassThrough(
  request: SentChatRequest,
  format: ResponseFormat | null,
  because: PassThrough['because'],
): ReadRequest {
  const { model = 'auto', messages, tools: sentTools, tool_choice, mode, confirm, scope, time_zone, options } = request
  refuseBeside({ '/mode': mode, '/confirm': confirm, '/scope': scope }, because)
  const tools = (sentTools ?? []).map(toModelTool)
  const {
    temperature = null,
    top_p: topP = null,
    seed = null,
    num_predict: maxTokens = null,
    stop = [],
  } = options ?? {}
  const chatRequest: PassThrough = {
    model,
    turns: toTurns(toSentTurns(messages)),
    tools,
    rules: { format, toolChoice: readChoice(tool_choice, tools), parallelToolCalls: null },
    maxTokens,
    options: { temperature, topP, seed },
    stop,
    parsesArguments: true,
    because,
  }
  const ofChat = time_zone === undefined ? [] : ['ignored:time_zone']
  return { chatRequest, warnings: [...listIgnored(request), ...ofChat, ...listUnused(request)] }
}

/** Warns of a choice among tools where there are none. */
function listUnused({ tools, tool_choice }: SentChatRequest): string[] {
  return isEmptyMember(tools) && !isEmptyMember(tool_choice) ? ['ignored:tool_choice'] : []
}

function readFormat(format: unknown): ResponseFormat | null {
  if (isEmptyMember(format)) return null
  if (format === 'json') return { type: 'json_object' }
  if (typeof format !== 'object' || format === null || Array.isArray(format))
    throw unsupportedParameter('/format', 'format is offered as "json" or as a JSON Schema')
  // OpenAI's API requires a name.
  return { type: 'json_schema', json_schema: { name: 'answer', schema: format } }
}

function readChoice(choice: SentChatRequest['tool_choice'], tools: readonly ModelTool[]): ToolChoice | null {
  if (typeof choice !== 'object' || choice === null) return choice ?? null
  return requireTool(choice.name, tools, '/tool_choice/name')
}

/** Older clients of Ollama know no ids of calls: those are made here. */
function toSentTurns(messages: readonly SentMessage[]): SentTurn[] {
  let answers = 0
  return messages.map((message, i) => {
    const { role, tool_calls, tool_call_id, tool_name } = message
    if (role === 'assistant') answers++
    const calls = (tool_calls ?? []).map(({ id, function: called }, n) => ({
      id: id ?? createCallId(answers, n),
      name: called.name,
      arguments: JSON.stringify(called.arguments),
    }))
    return {
      role: role === 'developer' ? 'system' : role,
      content: calls.length > 0 ? (message.content ?? '') : requireContent(message, i),
      calls,
      resultOf: toResultOf(tool_call_id, tool_name),
    }
  })
}

function toResultOf(id: string | null | undefined, name: string | null | undefined): SentTurn['resultOf'] {
  if (id) return { by: 'tool_call_id', value: id }
  return name ? { by: 'tool_name', value: name } : null
}

/** Converts a message for chat; there are no results of tools in it. */
function toChatMessage(message: SentMessage, i: number): ChatRequest['messages'][number] {
  const { role } = message
  return { role: role === 'tool' ? 'user' : role, content: requireContent(message, i) }
}

function requireContent({ content }: SentMessage, i: number): string {
  if (typeof content !== 'string') throw invalid(`/messages/${i}/content`, 'required', 'content is required')
  return content
}
