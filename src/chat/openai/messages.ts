import { invalid } from '../../http/api-error'
import { member } from '../../http/outgoing'
import { OWN_TOOLS, readImage, refuseUnlessEmpty, unsupportedParameter } from '../request'
import type { ChatRequest } from '../schema'
import type { ChatCompletionRequest } from './schema'

type Message = ChatCompletionRequest['messages'][number]

const ROLES = ['system', 'developer', 'user', 'assistant'] as const

/** Converts a message for chat. @throws ApiError unsupported_parameter, invalid_request */
export function toChatMessage(message: Message, i: number): ChatRequest['messages'][number] {
  const images = readImageParts(message, i)
  return { role: readRole(message, i), content: toText(message, i), ...(images.length > 0 && { images }) }
}

function readRole({ role, tool_calls, function_call }: Message, i: number): (typeof ROLES)[number] {
  const pointer = `/messages/${i}`
  if (role === 'tool' || role === 'function')
    throw unsupportedParameter(`${pointer}/role`, `the role ${role} is not offered: ${OWN_TOOLS}`)
  refuseUnlessEmpty(tool_calls, `${pointer}/tool_calls`, `tool_calls are not offered: ${OWN_TOOLS}`)
  refuseUnlessEmpty(function_call, `${pointer}/function_call`, `function_call is not offered: ${OWN_TOOLS}`)
  const known = ROLES.find((one) => one === role)
  if (!known) throw invalid(`${pointer}/role`, 'invalid_value', `role must be one of: ${ROLES.join(', ')}`)
  return known
}

function toText({ content }: Message, i: number): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  const pointer = `/messages/${i}/content`
  return content
    .flatMap(({ type, text }, part) => {
      if (type === 'image_url') return []
      if (type !== 'text')
        throw unsupportedParameter(`${pointer}/${part}/type`, 'parts other than text and image_url are not offered')
      if (text === undefined) throw invalid(`${pointer}/${part}/text`, 'required', 'text is required')
      return text
    })
    .join('\n')
}

function readImageParts({ content }: Message, i: number): string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part, place) => {
    const pointer = `/messages/${i}/content/${place}/image_url/url`
    return part.type === 'image_url' ? readImage(member(part.image_url, 'url'), pointer) : []
  })
}
