import { count, list, member, text } from '../../http/outgoing'
import type { ParsedRequest } from '../request'
import { type CallFragment, parseArguments, type ToolCall } from './calls'

/** A tool as it is described to a model. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly input: object
  readonly risk: 'read' | 'create' | 'update' | 'delete'
}

/** A message of the conversation with the model. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  /** Calls are as `echoed` made them. */
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly call: ToolCall }

/** One step: what the model is asked. */
export interface ModelRequest {
  readonly model: string
  readonly turns: readonly ModelMessage[]
  readonly tools: readonly ToolDescription[]
  /** Tokens that the answer may have at most. */
  readonly maxTokens: number
  /** Tokens of prompt and answer together. */
  readonly numCtx: number
  readonly options: ParsedRequest['options']
}

/** What one piece of an answer says. */
export interface AnswerPiece {
  readonly text: string
  /** What the model thinks, as far as the server keeps it apart from the text. */
  readonly thought: string
  readonly fragments: readonly CallFragment[]
  /** Why the answer ended; empty if it has not. */
  readonly finish: string
  readonly usage: { readonly prompt: number; readonly completion: number } | null
  /** Nothing comes after this. */
  readonly last: boolean
}

/** How a server wants to be asked and how it answers. */
export interface ModelDialect {
  /** Below the base URL. */
  readonly path: string
  /** How it streams, where the content type does not say. */
  readonly streams: 'events' | 'lines'
  /** `completionTokens`: the limit goes by the name that newer OpenAI models insist on. */
  body(question: ModelRequest, completionTokens: boolean): object
  read(value: unknown): AnswerPiece
  /** Whether this failing body complains about the name of the limit. */
  refusesMaxTokens(status: number, body: string): boolean
}

/** What the options of the request become, by their names on the wire: what is null is left to the server. */
function toSamplingOptions({ temperature, topP, seed }: ParsedRequest['options']): Record<string, number> {
  const given = Object.entries({ temperature, top_p: topP, seed }).filter(([, value]) => value !== null)
  return Object.fromEntries(given) as Record<string, number>
}

export function describeTools(tools: readonly ToolDescription[]): object {
  if (tools.length === 0) return {}
  return {
    tools: tools.map(({ name, description, input }) => ({
      type: 'function',
      function: { name, description, parameters: input },
    })),
  }
}

/** Chat completions as OpenAI and the many that imitate it speak them. */
export const openAiDialect: ModelDialect = {
  path: '/chat/completions',
  streams: 'events',

  body: ({ model, turns, tools, maxTokens, options }, completionTokens) => ({
    model,
    messages: turns.map(toOpenAiMessage),
    stream: true,
    stream_options: { include_usage: true },
    [completionTokens ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
    ...toSamplingOptions(options),
    ...describeTools(tools),
  }),

  /** The chunk with the usage has no choices. A server that does not stream puts `message` where `delta` would be. */
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

/** Ollama's own call: it alone takes `num_ctx`; the compatible one cuts long prompts without a word. */
export const ollamaDialect: ModelDialect = {
  path: '/api/chat',
  streams: 'lines',

  body: ({ model, turns, tools, maxTokens, numCtx, options }) => ({
    model,
    messages: turns.map(toOllamaMessage),
    stream: true,
    options: { num_ctx: numCtx, num_predict: maxTokens, ...toSamplingOptions(options) },
    ...describeTools(tools),
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

/** A prompt that the server still had in its cache is not counted: then nothing is known of it. */
function readOllamaUsage(value: unknown): AnswerPiece['usage'] {
  const prompt = count(member(value, 'prompt_eval_count'))
  const completion = count(member(value, 'eval_count'))
  return prompt === null || completion === null ? null : { prompt, completion }
}
