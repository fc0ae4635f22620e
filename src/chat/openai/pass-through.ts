import { invalid } from '../../http/api-error'
import { findReason, refuseBeside, requireTool, toModelTool, toTurns } from '../client-tools'
import type { ModelTool, PassThrough, ResponseFormat, ToolChoice } from '../pass-through'
import { isEmptyMember, unsupportedParameter } from '../request'
import { toSentTurn } from './messages'
import type { ChatCompletionRequest } from './schema'

/**
 * Converts a request for a language model alone; null if it is for chat: if it has neither tools of the client, nor
 * results of them, nor a format.
 * @param model `auto`, or the name of a model
 * @throws ApiError unsupported_parameter, invalid_request
 */
export function toPassThrough(request: ChatCompletionRequest, model: string): PassThrough | null {
  const format = readFormat(request.response_format)
  const because = findReason(request, format && 'response_format')
  if (!because) return null
  refuseBeside({ '/x_satchel/confirm': request.x_satchel?.confirm }, because)
  const { temperature = null, top_p: topP = null, seed = null, stop } = request
  const tools = (request.tools ?? []).map(toModelTool)
  return {
    model,
    turns: toTurns(request.messages.map(toSentTurn)),
    tools,
    rules: {
      format,
      toolChoice: readChoice(request.tool_choice, tools),
      parallelToolCalls: request.parallel_tool_calls ?? null,
    },
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    options: { temperature, topP, seed },
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    parsesArguments: false,
    because,
  }
}

function readFormat(format: unknown): ResponseFormat | null {
  if (isEmptyMember(format)) return null
  const { type, json_schema } = format as { type?: unknown; json_schema?: { schema?: unknown } | null }
  if (type === 'text') return null
  if (type === 'json_object') return { type }
  if (type !== 'json_schema')
    throw unsupportedParameter(
      '/response_format',
      'response_format is offered with the types text, json_object and json_schema',
    )
  const schema = json_schema?.schema
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw invalid('/response_format/json_schema/schema', 'invalid_value', 'schema must be an object')
  return { type, json_schema: { ...json_schema, schema } }
}

function readChoice(choice: ChatCompletionRequest['tool_choice'], tools: readonly ModelTool[]): ToolChoice | null {
  if (typeof choice !== 'object' || choice === null) return choice ?? null
  return requireTool(choice.function.name, tools, '/tool_choice/function/name')
}
