import { count, list, member, toText } from '../../http/outgoing'
import type { ParsedRequest } from '../request'
import type { CallFragment, ToolCall } from './calls'
import { type Members, otherMembers } from './members'

/** OpenAI's chat completions, the API of language models. */

/** The path below the base URL. */
export const COMPLETIONS_PATH = '/chat/completions'

/** A message of the conversation with a model. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly string[] }
  | {
      readonly role: 'assistant'
      readonly content: string
      readonly calls: readonly ToolCall[]
      readonly others: Members
    }
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
  /** The calls are cleaned by `echoCall`, and the other members of a turn by `echoMembers`. */
  readonly turns: readonly ModelMessage[]
  readonly tools: readonly ToolDescription[]
  /** Tokens of the answer, at most, with those of the model's reasoning. */
  readonly maxTokens: number
  readonly options: ParsedRequest['options']
}

/** One piece of an answer. */
export interface AnswerPiece {
  readonly text: string
  /** The model's reasoning, if the server sends it separately. */
  readonly thought: string
  readonly fragments: readonly CallFragment[]
  /** What else the turn has, to be sent back. */
  readonly others: Members
  /** Why the answer ended; empty if it has not. */
  readonly finish: string
  /** `reasoning` is the part of `completion` that is no answer; null if the server does not tell it. */
  readonly usage: { readonly prompt: number; readonly completion: number; readonly reasoning: number | null } | null
}

/** What a server does not take of a request. */
export type Refused = 'max_tokens' | 'stream_options' | 'tools' | 'images'

/** Builds the body, without what the server refuses. Newer models of OpenAI want another name for the limit. */
export function toBody(
  { model, turns, tools, maxTokens, options }: ModelRequest,
  refused: ReadonlySet<Refused>,
): object {
  return {
    model,
    messages: turns.map(toMessage),
    stream: true,
    ...(!refused.has('stream_options') && { stream_options: { include_usage: true } }),
    [refused.has('max_tokens') ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
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
  if (turn.role === 'user' && turn.images)
    return { role: 'user', content: [{ type: 'text', text: turn.content }, ...turn.images.map(toImagePart)] }
  if (turn.role !== 'assistant' || turn.calls.length === 0) return { role: turn.role, content: turn.content }
  return {
    ...turn.others,
    role: 'assistant',
    content: turn.content,
    tool_calls: turn.calls.map(({ id, name, arguments: sent, others }) => ({
      ...others,
      id,
      type: 'function',
      function: { name, arguments: sent },
    })),
  }
}

const toImagePart = (url: string) => ({ type: 'image_url', image_url: { url } })

const MESSAGE_MEMBERS = ['role', 'content', 'tool_calls']
const CALL_MEMBERS = ['index', 'id', 'type', 'function']

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
    others: otherMembers(delta, MESSAGE_MEMBERS),
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
    others: otherMembers(value, CALL_MEMBERS),
  }
}

function readUsage(value: unknown): AnswerPiece['usage'] {
  const prompt = count(member(value, 'prompt_tokens'))
  const completion = count(member(value, 'completion_tokens'))
  const reasoning = count(member(member(value, 'completion_tokens_details'), 'reasoning_tokens'))
  return prompt === null || completion === null ? null : { prompt, completion, reasoning }
}

/** Statuses with which servers refuse a part of a request. Older llama.cpp refuses tools and pictures with 500. */
const REFUSALS = [400, 404, 415, 422, 500, 501]
const SAYS_NO =
  /not? (?:\S+ )?(?:support|enabled|permitted|allowed|available)|n't support|unsupported|unknown|unrecognized|no endpoints|requires? --|does not accept/i

/**
 * Reads from an error response what of the request the server does not take; null if it says nothing like that. Ollama:
 * "… does not support tools"; OpenRouter, with 404: "No endpoints found that support tool use", "… image input"; vLLM:
 * `"auto" tool choice requires --enable-auto-tool-choice`; llama.cpp: "Unsupported param: tools"; Mistral, with 422:
 * "Extra inputs are not permitted" at stream_options.
 */
export function readRefusal(status: number, body: string, { tools, turns }: ModelRequest): Refused | null {
  if (!REFUSALS.includes(status)) return null
  if (body.includes('max_completion_tokens') || /"param"\s*:\s*"max_tokens"/.test(body)) return 'max_tokens'
  if (/stream_options|include_usage/.test(body)) return 'stream_options'
  if (!SAYS_NO.test(body)) return null
  const hasImages = turns.some((turn) => turn.role === 'user' && turn.images)
  if (hasImages && /image|vision|multimodal|mmproj/i.test(body)) return 'images'
  return tools.length > 0 && /\btools?\b|tool[_ -]?(?:use|choice|call)|function[_ -]call/i.test(body) ? 'tools' : null
}
