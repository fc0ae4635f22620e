import type { TimeSettings } from '../db/settings-store'
import { ApiError, invalid } from '../http/api-error'
import { readZone } from '../http/values'
import { TIME_LANGUAGES, type TimeLanguage } from '../lib/civil/day'
import { cutBytes } from '../lib/text'
import type { ToolScope } from '../tools/tool'
import type { ChatRequest } from './schema'

/** A turn of the conversation; `developer` is taken as `system`. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
  /** Data URLs of the pictures in a message of the user; absent without any. */
  readonly images?: readonly string[]
}

/** A request whose content has been checked. */
export interface ParsedRequest {
  /** The last user message. */
  readonly message: string
  /** The conversation as far as it is read, `message` in it. */
  readonly messages: readonly ChatMessage[]
  /** The model that the request names: `auto`, `satchel-local` or another. */
  readonly model: string
  /** Tokens of pending actions to confirm. */
  readonly confirm: readonly string[]
  /** The sampling options of the model; null for its default. */
  readonly options: { readonly temperature: number | null; readonly topP: number | null; readonly seed: number | null }
  readonly scope: ToolScope
  readonly timeZone: string
  /** In which dates are read, the first that understands them: that of the workspace, English, and the others. */
  readonly languages: readonly TimeLanguage[]
  readonly mode: 'read' | 'write'
  /** The text ends before the first of these. */
  readonly stop: readonly string[]
  /** Tokens of the answer; null for no limit. */
  readonly tokenLimit: number | null
  /** The tokens of all messages, estimated. */
  readonly promptTokens: number
  /** Why only a language model can take this request: what the embedded engine refuses it with. Null if it takes it. */
  readonly needsModel: ApiError | null
  readonly warnings: readonly string[]
}

const IGNORED_MEMBERS = [
  'keep_alive',
  'think',
  'truncate',
  'shift',
  'logprobs',
  'top_logprobs',
  'temperature',
  'top_p',
  'max_output_tokens',
  'tool_choice',
] as const
const KNOWN_OPTIONS = ['temperature', 'top_p', 'seed', 'stop', 'num_predict']

/** Bytes of UTF-8 of one message. The last one may have more, for a language model. */
const MAX_MESSAGE_BYTES = 16 * 1024
/** Bytes of UTF-8 of all messages together. */
const MAX_ALL_MESSAGES_BYTES = 64 * 1024
/** Messages of a conversation that are read. */
const MAX_MESSAGES = 64

const countBytes = (text: string): number => Buffer.byteLength(text)

/** Estimates the tokens of a text as a quarter of its bytes, since there is no tokenizer here. */
export const estimateTokens = (text: string): number => Math.ceil(countBytes(text) / 4)

/**
 * Checks what the schema cannot, and finds the question in the conversation.
 * @param defaults the zone of the workspace, for a request that names none, and its language
 * @throws ApiError for the first fault
 */
export function readRequest(
  request: ChatRequest,
  defaults: TimeSettings = { time_zone: null, language: null },
): ParsedRequest {
  refuseNotOffered(request)
  const message = readLastQuestion(request.messages)
  checkMessages(request.messages)
  const { messages, shortened } = shortenHistory(request.messages)
  const { temperature, top_p, seed } = request.options ?? {}
  return {
    message,
    messages: messages.map(toMessage),
    model: request.model ?? 'auto',
    confirm: request.confirm ?? [],
    options: { temperature: temperature ?? null, topP: top_p ?? null, seed: seed ?? null },
    scope: { types: request.scope?.types ?? null, tags: request.scope?.tags ?? null, ids: request.scope?.ids ?? null },
    timeZone:
      request.time_zone === undefined ? (defaults.time_zone ?? 'UTC') : readZone(request.time_zone, '/time_zone'),
    languages: [...new Set([defaults.language ?? 'en', ...TIME_LANGUAGES])],
    mode: request.mode ?? 'write',
    stop: request.options?.stop ?? [],
    tokenLimit: request.options?.num_predict ?? null,
    promptTokens: messages.reduce((sum, { content }) => sum + estimateTokens(content), 0),
    needsModel: findNeedOfModel(request.messages),
    warnings: [...(shortened ? ['history_shortened'] : []), ...listIgnored(request)],
  }
}

/**
 * Shortens a conversation to what is read of it: earlier messages are cut to MAX_MESSAGE_BYTES, then the oldest turns
 * are left out, and at last the oldest system messages. The last user message and what follows it stay.
 */
function shortenHistory(messages: ChatRequest['messages']): {
  messages: ChatRequest['messages']
  shortened: boolean
} {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const cut = messages.map((message, i) => {
    const content = i === last ? message.content : cutBytes(message.content, MAX_MESSAGE_BYTES)
    return content === message.content ? message : { ...message, content }
  })
  const isSystem = ({ role }: { role: string }) => role === 'system' || role === 'developer'
  const places = cut.map((message, place) => ({ message, place }))
  const droppable = [
    ...places.slice(0, Math.max(last, 0)).filter(({ message }) => !isSystem(message)),
    ...places.filter(({ message }) => isSystem(message)),
  ]
  let count = cut.length
  let bytes = cut.reduce((sum, { content }) => sum + countBytes(content), 0)
  const dropped = new Set<number>()
  for (const { message, place } of droppable) {
    // An answer without its question tells nothing, so it goes as well.
    const follows = dropped.size > 0 && message.role === 'assistant'
    if (count <= MAX_MESSAGES && bytes <= MAX_ALL_MESSAGES_BYTES && !follows) break
    dropped.add(place)
    count--
    bytes -= countBytes(message.content)
  }
  const shortened = dropped.size > 0 || cut.some((one, i) => one !== messages[i])
  return { messages: cut.filter((_, place) => !dropped.has(place)), shortened }
}

function toMessage({ role, content, images }: ChatRequest['messages'][number], i: number): ChatMessage {
  const seen = role === 'user' ? readImages(images, `/messages/${i}/images`) : []
  return { role: role === 'developer' ? 'system' : role, content, ...(seen.length > 0 && { images: seen }) }
}

/** Refuses what other chat servers do with these members. @throws ApiError unsupported_parameter */
function refuseNotOffered({ messages, tools, tool_choice, format }: ChatRequest): void {
  refuseTools(tools, tool_choice)
  refuseUnlessEmpty(format, '/format', 'format is not offered: answers are text')
  messages.forEach(({ tool_calls }, i) => {
    refuseUnlessEmpty(tool_calls, `/messages/${i}/tool_calls`, `tool_calls are not offered: ${OWN_TOOLS}`)
  })
}

export const OWN_TOOLS = 'chat runs only the tools of Satchel'

/**
 * Refuses tools of the client. With the choice `none` no tool is to be called, so they are only ignored.
 * @throws ApiError unsupported_parameter
 */
export function refuseTools(tools: unknown, choice: unknown): void {
  if (choice !== 'none') refuseUnlessEmpty(tools, '/tools', `tools are not offered: ${OWN_TOOLS}`)
}

/** Returns the last user message. No answer may follow it: answering it again could do things twice. */
function readLastQuestion(messages: ChatRequest['messages']): string {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const question = messages[last]
  if (!question)
    throw invalid('/messages', 'no_user_message', 'messages must hold at least one message of the role user')
  const after = messages.findIndex(({ role }, i) => i > last && role === 'assistant')
  if (after >= 0)
    throw invalid(
      `/messages/${after}/role`,
      'not_last',
      'no assistant message may follow the last user message: there is nothing new to answer',
    )
  return question.content
}

/** Checks the user's messages. Only the last one has a limit: earlier ones are shortened. */
function checkMessages(messages: ChatRequest['messages']): void {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  messages.forEach(({ role, content }, i) => {
    const pointer = `/messages/${i}/content`
    if (i === last && countBytes(content) > MAX_ALL_MESSAGES_BYTES) throw tooLong(pointer, MAX_ALL_MESSAGES_BYTES)
    if (role === 'user' && content.trim() === '')
      throw invalid(pointer, 'blank', 'content of a user message must not be blank')
  })
}

const tooLong = (pointer: string, bytes: number) =>
  invalid(pointer, 'too_long', `content must have at most ${bytes} bytes`)

function findNeedOfModel(messages: ChatRequest['messages']): ApiError | null {
  const seen = messages.findIndex(({ role, images }) => role === 'user' && !isEmptyMember(images))
  if (seen >= 0)
    return unsupportedParameter(`/messages/${seen}/images`, 'images are for a language model: messages are text')
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const isLong = countBytes(messages[last]?.content ?? '') > MAX_MESSAGE_BYTES
  return isLong ? tooLong(`/messages/${last}/content`, MAX_MESSAGE_BYTES) : null
}

/** Lists the members and options without effect, as warnings. @throws ApiError invalid_request */
function listIgnored(request: ChatRequest): string[] {
  const members = IGNORED_MEMBERS.filter((name) => (request[name] ?? null) !== null)
  const tools = isEmptyMember(request.tools) ? [] : ['tools']
  return [...[...members, ...tools].map((name) => `ignored:${name}`), ...listIgnoredOptions(request.options ?? {})]
}

function listIgnoredOptions(options: Readonly<Record<string, unknown>>): string[] {
  const others = Object.keys(options).filter((name) => !KNOWN_OPTIONS.includes(name))
  const odd = others.find((name) => !/^[a-z][a-z0-9_]{0,39}$/.test(name))
  if (odd !== undefined)
    throw invalid('/options', 'unknown_member', 'the name of an option is made of a-z, 0-9 and _, at most 40 of them')
  return others.map((name) => `ignored:${name}`)
}

/** Creates the error for a member that other chat servers know, but this one does not support. */
export function unsupportedParameter(pointer: string, detail: string): ApiError {
  const code = 'unsupported_parameter'
  return new ApiError(code, detail, { errors: [{ pointer, code, detail }] })
}

/**
 * Refuses a member with content. Clients send empty ones for features that they do not use: `tools: []`, `format: ""`.
 */
export function refuseUnlessEmpty(value: unknown, pointer: string, detail: string): void {
  if (!isEmptyMember(value)) throw unsupportedParameter(pointer, detail)
}

/** Whether a member is absent, null, or without content. */
export function isEmptyMember(value: unknown): boolean {
  return (value ?? '') === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}

/** The beginnings of pictures in base64, and what they are. */
const FORMATS: readonly (readonly [beginning: string, type: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const DATA_URL = /^data:image\/[a-z+.-]+;base64,(.+)$/s

/**
 * Reads pictures as Ollama's clients send them, in base64 or as data URLs; returns data URLs. That of a page is refused:
 * the server of the model would load it.
 * @throws ApiError invalid_request, unsupported_parameter
 */
export function readImages(images: unknown, pointer: string): string[] {
  if (isEmptyMember(images)) return []
  if (!Array.isArray(images)) throw invalid(pointer, 'invalid_type', 'images must be a list')
  return images.map((image, i) => readImage(image, `${pointer}/${i}`))
}

/** Reads one picture. @throws ApiError invalid_request, unsupported_parameter */
export function readImage(image: unknown, pointer: string): string {
  if (typeof image === 'string' && /^https?:/i.test(image))
    throw unsupportedParameter(pointer, 'addresses of images are not offered: send the image itself, in base64')
  const base64 = typeof image === 'string' ? (DATA_URL.exec(image)?.[1] ?? image) : ''
  const type = FORMATS.find(([beginning]) => base64.startsWith(beginning))?.[1]
  if (type === undefined || !BASE64.test(base64))
    throw invalid(pointer, 'invalid_value', 'an image must be a PNG, JPEG, GIF or WebP in base64')
  return `data:${type};base64,${base64}`
}
