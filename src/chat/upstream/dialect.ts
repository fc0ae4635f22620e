import type { ParsedRequest } from '../request'
import type { Fragment, ToolCall } from './calls'

/** A tool as a model is told of it. */
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
export interface Piece {
  readonly text: string
  /** What the model thinks, as far as the server tells it apart from the text. */
  readonly thought: string
  readonly fragments: readonly Fragment[]
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
  /** How it streams, where the content type does not tell. */
  readonly streams: 'events' | 'lines'
  /** `completionTokens`: the limit goes by the name that newer OpenAI models insist on. */
  body(question: ModelRequest, completionTokens: boolean): object
  read(value: unknown): Piece
  /** Whether this failing body complains about the name of the limit. */
  refusesMaxTokens(status: number, body: string): boolean
}

/** What the options of the request become, by their names on the wire: what is null is left to the server. */
export function samplingOptions({ temperature, topP, seed }: ParsedRequest['options']): Record<string, number> {
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
