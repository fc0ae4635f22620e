import { count, list, member, toText } from '../../http/outgoing'
import type { ParsedRequest } from '../request'
import type { CallFragment, ToolCall } from './calls'

/** OpenAI's chat completions, the API of language models. */

/** The path below the base URL. */
export const COMPLETIONS_PATH = '/chat/completions'

/** A message of the conversation with a model. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly call: ToolCall }

/** The description of a tool for a model. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly input: object
  readonly risk: 'read' | 'create' | 'update' | 'delete'
}

/** The request of one step to the model. */
export interface ModelRequest {
  readonly model: string
  /** The calls are cleaned by `echoCall`. */
  readonly turns: readonly ModelMessage[]
  readonly tools: readonly ToolDescription[]
  /** Tokens of the answer, at most. */
  readonly maxTokens: number
  readonly options: ParsedRequest['options']
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
}

/** Builds the body. `completionTokens`: names the limit as newer OpenAI models require. */
export function toBody({ model, turns, tools, maxTokens, options }: ModelRequest, completionTokens: boolean): object {
  return {
    model,
    messages: turns.map(toMessage),
    stream: true,
    stream_options: { include_usage: true },
    [completionTokens ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
    ...toSamplingOptions(options),
    ...describeTools(tools),
  }
}

/** Returns the sampling options by their wire names. Those that are null are left out. */
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

function toMessage(turn: ModelMessage): object {
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

/**
 * Reads a chunk. The one with the usage has no choices. A server that does not stream sends `message` instead of
 * `delta`.
 */
export function readPiece(value: unknown): AnswerPiece {
  const choice = list(member(value, 'choices'))[0]
  const delta = member(choice, 'delta') ?? member(choice, 'message')
  return {
    text: toText(member(delta, 'content')),
    thought: toText(member(delta, 'reasoning_content')) || toText(member(delta, 'reasoning')),
    fragments: list(member(delta, 'tool_calls')).map(readFragment),
    finish: toText(member(choice, 'finish_reason')),
    usage: readUsage(member(value, 'usage')),
  }
}

/** Arguments are a text that grows, but some servers send an object. */
function readFragment(value: unknown): CallFragment {
  const named = member(value, 'function')
  const sent = member(named, 'arguments') ?? ''
  return {
    index: count(member(value, 'index')) ?? count(member(named, 'index')),
    id: toText(member(value, 'id')),
    name: toText(member(named, 'name')),
    arguments: typeof sent === 'string' ? sent : JSON.stringify(sent),
  }
}

function readUsage(value: unknown): AnswerPiece['usage'] {
  const prompt = count(member(value, 'prompt_tokens'))
  const completion = count(member(value, 'completion_tokens'))
  return prompt === null || completion === null ? null : { prompt, completion }
}

/** Whether an error response complains about the name of the limit. */
export function refusesMaxTokens(status: number, body: string): boolean {
  return status === 400 && (body.includes('max_completion_tokens') || /"param"\s*:\s*"max_tokens"/.test(body))
}
