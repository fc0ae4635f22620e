/**
 * Requests that a language model answers as the client wrote them, since they have tools or a format of its own. No
 * prompt of ours is added, nothing is retrieved, and no tool of ours runs.
 */

/** A call of a tool as a model made it. `arguments` is text that may not be valid JSON. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** A message of the conversation with a model. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly call: ToolCall }

/** The description of a tool for a model. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly input: object
  /** Whether arguments must follow the schema exactly; absent for the default of the server. */
  readonly strict?: boolean
}

/** What a model must do with the tools: as it likes, none, at least one, or the one with the name. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** The format of an answer, as OpenAI's API has it. */
export type ResponseFormat =
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly json_schema: { readonly name?: string; readonly schema: object } }

/** How a model is to use the tools and to write the answer; null for its default. */
export interface AnswerRules {
  readonly toolChoice: ToolChoice | null
  readonly parallelToolCalls: boolean | null
  readonly format: ResponseFormat | null
}

/** A request for a language model alone. */
export interface PassThrough {
  /** `auto`, or a name. */
  readonly model: string
  /** Each call has one result, which follows it. */
  readonly turns: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly rules: AnswerRules
  /** Tokens of the answer, at most; null for no limit of the client. */
  readonly maxTokens: number | null
  readonly options: { readonly temperature: number | null; readonly topP: number | null; readonly seed: number | null }
  /** The text ends before the first of these. */
  readonly stop: readonly string[]
  /** Whether the client reads the arguments of a call as an object, so that it can get no others. */
  readonly parsesArguments: boolean
  /** The part of the request that only a language model can serve: a JSON Pointer, and its name in a sentence. */
  readonly because: { readonly pointer: string; readonly name: string }
}

/** Creates the id of a call that has none: nine letters and digits, the only form that all servers accept. */
export function createCallId(step: number, i: number): string {
  return `c${String(step).padStart(4, '0')}${String(i).padStart(4, '0')}`
}
