import { invalid } from '../../http/api-error'
import type { ModelTool, PassThrough, ResponseFormat, ToolChoice } from '../pass-through'
import { isEmptyMember, unsupportedParameter } from '../request'
import { toTurns } from './messages'
import type { ChatCompletionRequest } from './schema'

type Tool = NonNullable<ChatCompletionRequest['tools']>[number]

/**
 * Converts a request for a language model alone; null if it is for chat: if it has neither tools of the client, nor
 * results of them, nor a format.
 * @param model `auto`, or the name of a model
 * @throws ApiError unsupported_parameter, invalid_request
 */
export function toPassThrough(request: ChatCompletionRequest, model: string): PassThrough | null {
  const format = readFormat(request.response_format)
  const because = findReason(request, format)
  if (!because) return null
  if (!isEmptyMember(request.x_satchel?.confirm))
    throw unsupportedParameter('/x_satchel/confirm', `confirm is not offered beside ${because.name}`)
  const { temperature = null, top_p: topP = null, seed = null, stop } = request
  const tools = (request.tools ?? []).map(toTool)
  return {
    model,
    turns: toTurns(request.messages),
    tools,
    rules: {
      format,
      toolChoice: readChoice(request.tool_choice, tools),
      parallelToolCalls: request.parallel_tool_calls ?? null,
    },
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    options: { temperature, topP, seed },
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    because,
  }
}

/** Returns the first part of a request that only a language model can serve. */
function findReason(request: ChatCompletionRequest, format: ResponseFormat | null): PassThrough['because'] | null {
  if (!isEmptyMember(request.tools)) return { pointer: '/tools', name: 'tools' }
  if (format) return { pointer: '/response_format', name: 'response_format' }
  const i = request.messages.findIndex(({ role, tool_calls }) => role === 'tool' || !isEmptyMember(tool_calls))
  if (i < 0) return null
  const isResult = request.messages[i]?.role === 'tool'
  return isResult
    ? { pointer: `/messages/${i}/role`, name: 'the role tool' }
    : { pointer: `/messages/${i}/tool_calls`, name: 'tool_calls' }
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

function toTool({ function: { name, description, parameters, strict } }: Tool): ModelTool {
  return {
    name,
    description: description ?? '',
    input: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' && { strict }),
  }
}

function readChoice(choice: ChatCompletionRequest['tool_choice'], tools: readonly ModelTool[]): ToolChoice | null {
  if (typeof choice !== 'object' || choice === null) return choice ?? null
  const { name } = choice.function
  if (!tools.some((tool) => tool.name === name))
    throw invalid('/tool_choice/function/name', 'invalid_value', 'tool_choice must name one of the tools')
  return { name }
}
