import { count, list, member, text } from '../../http/outgoing'
import type { AnswerRules, ModelMessage, ModelTool, ResponseFormat, ToolChoice } from '../pass-through'
import type { ParsedRequest } from '../request'
import { type CallFragment, parseArguments } from './calls'

/** The description of one of our own tools for a model. */
export interface ToolDescription extends ModelTool {
  readonly risk: 'read' | 'create' | 'update' | 'delete'
}

/** The request of one step to the model. */
export interface ModelRequest {
  readonly model: string
  /** The calls are cleaned by `echoCall`. */
  readonly turns: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  /** Tokens of the answer, at most. */
  readonly maxTokens: number
  /** Tokens of prompt and answer together. */
  readonly numCtx: number
  readonly options: ParsedRequest['options']
  /** Of a request with tools or a format of the client; else absent. */
  readonly rules?: AnswerRules
}

/** One piece of an answer. */
export interface AnswerPiece {
  readonly text: string
  /** The model's reasoning, if the server sends it separately. */
  readonly thought: string
  readonly fragments: readonly CallFragment[]
  /** Why the answer ended; empty if it has not. */
  readonly finish: string
  readonly usage: { readonly prompt: number; readonly completion: number } | null
  /** Whether this is the last piece. */
  readonly last: boolean
}

/** The request and answer formats of a kind of server. */
export interface ModelDialect {
  /** The path below the base URL. */
  readonly path: string
  /** The form of its stream, if the content type does not say. */
  readonly streams: 'events' | 'lines'
  /** Builds the body. `completionTokens`: names the limit as newer OpenAI models require. */
  body(question: ModelRequest, completionTokens: boolean): object
  read(value: unknown): AnswerPiece
  /** Whether an error response complains about the name of the limit. */
  refusesMaxTokens(status: number, body: string): boolean
}

/** Returns the sampling options by their wire names. Those that are null are left out. */
function toSamplingOptions({ temperature, topP, seed }: ParsedRequest['options']): Record<string, number> {
  const given = Object.entries({ temperature, top_p: topP, seed }).filter(([, value]) => value !== null)
  return Object.fromEntries(given) as Record<string, number>
}

/** Describes tools in the format of OpenAI, which Ollama shares. */
export function describeTools(tools: readonly ModelTool[]): object {
  if (tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, input, strict }) => ({
      type: 'function',
      function: { name, description, parameters: input, ...(strict === undefined ? {} : { strict }) },
    })),
  }
}

/** Chat completions of OpenAI and compatible servers. */
export const openAiDialect: ModelDialect = {
  path: '/chat/completions',
  streams: 'events',

  body: ({ model, turns, tools, maxTokens, options, rules }, completionTokens) => ({
    model,
    messages: turns.map(toOpenAiMessage),
    stream: true,
    stream_options: { include_usage: true },
    [completionTokens ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
    ...toSamplingOptions(options),
    ...describeTools(tools),
    ...(rules ? toOpenAiRules(rules, tools.length > 0) : {}),
  }),

  /**
   * Reads a chunk. The one with the usage has no choices. A server that does not stream sends `message` instead of
   * `delta`.
   */
  read(value): AnswerPiece {
    const choice = list(member(value, 'choices'))[0]
    const delta = member(choice, 'delta') ?? member(choice, 'message')
    return {
      text: text(member(delta, 'content')),
      thought: text(member(delta, 'reasoning_content')) || text(member(delta, 'reasoning')),
      fragments: list(member(delta, 'tool_calls')).map(readFragment),
      finish: text(member(choice, 'finish_reason')),
      usage: readOpenAiUsage(member(value, 'usage')),
      last: false,
    }
  },

  refusesMaxTokens: (status, body) =>
    status === 400 && (body.includes('max_completion_tokens') || /"param"\s*:\s*"max_tokens"/.test(body)),
}

function toOpenAiRules({ toolChoice, parallelToolCalls, format }: AnswerRules, hasTools: boolean): object {
  const named = typeof toolChoice === 'object' && toolChoice
  return {
    ...(hasTools && toolChoice && { tool_choice: named ? { type: 'function', function: named } : toolChoice }),
    ...(hasTools && parallelToolCalls !== null && { parallel_tool_calls: parallelToolCalls }),
    ...(format && { response_format: format }),
  }
}

function toOpenAiMessage(turn: ModelMessage): object {
  if (turn.role === 'tool') return { role: 'tool', tool_call_id: turn.call.id, content: turn.content }
  if (turn.role !== 'assistant' || turn.calls.length === 0) return { role: turn.role, content: turn.content }
  return {
    role: 'assistant',
    content: turn.content,
    tool_calls: turn.calls.map(({ id, name, arguments: sent }) => ({
      id,
      type: 'function',
      function: { name, arguments: sent },
    })),
  }
}

/** Arguments are a text that grows, but some servers send an object. */
function readFragment(value: unknown): CallFragment {
  const named = member(value, 'function')
  const sent = member(named, 'arguments') ?? ''
  return {
    index: count(member(value, 'index')) ?? count(member(named, 'index')),
    id: text(member(value, 'id')),
    name: text(member(named, 'name')),
    arguments: typeof sent === 'string' ? sent : JSON.stringify(sent),
  }
}

function readOpenAiUsage(value: unknown): AnswerPiece['usage'] {
  const prompt = count(member(value, 'prompt_tokens'))
  const completion = count(member(value, 'completion_tokens'))
  return prompt === null || completion === null ? null : { prompt, completion }
}

/** Ollama's own API, since only it takes `num_ctx`; the OpenAI-compatible one silently cuts long prompts. */
export const ollamaDialect: ModelDialect = {
  path: '/api/chat',
  streams: 'lines',

  body: ({ model, turns, tools, maxTokens, numCtx, options, rules }) => ({
    model,
    messages: turns.map(toOllamaMessage),
    stream: true,
    options: { num_ctx: numCtx, num_predict: maxTokens, ...toSamplingOptions(options) },
    ...describeTools(chooseTools(tools, rules?.toolChoice ?? null)),
    ...(rules?.format ? { format: toOllamaFormat(rules.format) } : {}),
  }),

  read(value): AnswerPiece {
    const message = member(value, 'message')
    const done = member(value, 'done') === true
    return {
      text: text(member(message, 'content')),
      thought: text(member(message, 'thinking')),
      fragments: list(member(message, 'tool_calls')).map(readFragment),
      finish: done ? text(member(value, 'done_reason')) || 'stop' : '',
      usage: done ? readOllamaUsage(value) : null,
      last: done,
    }
  },

  refusesMaxTokens: () => false,
}

/** Ollama takes no choice of tools: it gets only those that may be called. */
function chooseTools(tools: readonly ModelTool[], choice: ToolChoice | null): readonly ModelTool[] {
  if (choice === 'none') return []
  return typeof choice === 'object' && choice ? tools.filter(({ name }) => name === choice.name) : tools
}

function toOllamaFormat(format: ResponseFormat): object | string {
  return format.type === 'json_object' ? 'json' : format.json_schema.schema
}

function toOllamaMessage(turn: ModelMessage): object {
  if (turn.role === 'tool') return { role: 'tool', tool_name: turn.call.name, content: turn.content }
  if (turn.role !== 'assistant' || turn.calls.length === 0) return { role: turn.role, content: turn.content }
  return {
    role: 'assistant',
    content: turn.content,
    tool_calls: turn.calls.map(({ name, arguments: sent }) => ({
      function: { name, arguments: parseArguments(sent) ?? {} },
    })),
  }
}

/** Reads the usage; null if the server did not count the prompt, which it omits if that was cached. */
function readOllamaUsage(value: unknown): AnswerPiece['usage'] {
  const prompt = count(member(value, 'prompt_eval_count'))
  const completion = count(member(value, 'eval_count'))
  return prompt === null || completion === null ? null : { prompt, completion }
}
