import { invalid } from '../../http/api-error'
import type { SentTurn } from '../client-tools'
import { isEmptyMember, unsupportedParameter } from '../request'
import type { ChatRequest } from '../schema'
import type { ChatCompletionRequest } from './schema'

type Message = ChatCompletionRequest['messages'][number]

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const
type Role = (typeof ROLES)[number]

/** Converts a message for chat; there are no results of tools in it. */
export function toChatMessage(message: Message, i: number): ChatRequest['messages'][number] {
  const role = readRole(message, i)
  return { role: role === 'tool' ? 'user' : role, content: toText(message, i) }
}

/** Converts a message for a language model alone. @throws ApiError unsupported_parameter, invalid_request */
export function toSentTurn(message: Message, i: number): SentTurn {
  const role = readRole(message, i)
  return {
    role: role === 'developer' ? 'system' : role,
    content: toText(message, i),
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: sent } }) => ({
      id,
      name,
      arguments: sent,
    })),
    resultOf: { by: 'tool_call_id', value: message.tool_call_id ?? '' },
  }
}

function readRole({ role, function_call }: Message, i: number): Role {
  const pointer = `/messages/${i}`
  if (role === 'function') throw unsupportedParameter(`${pointer}/role`, 'the role function is not offered: use tools')
  if (!isEmptyMember(function_call))
    throw unsupportedParameter(`${pointer}/function_call`, 'function_call is not offered: use tools')
  const known = ROLES.find((one) => one === role)
  if (!known) throw invalid(`${pointer}/role`, 'invalid_value', `role must be one of: ${ROLES.join(', ')}`)
  return known
}

function toText({ content }: Message, i: number): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  const pointer = `/messages/${i}/content`
  return content
    .map(({ type, text }, part) => {
      if (type !== 'text')
        throw unsupportedParameter(`${pointer}/${part}/type`, 'parts other than text are not offered')
      if (text === undefined) throw invalid(`${pointer}/${part}/text`, 'required', 'text is required')
      return text
    })
    .join('\n')
}
