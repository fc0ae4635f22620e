import { invalid } from '../../http/api-error'
import { requireLength } from '../../http/values'
import { titleKey } from '../../lib/text'

/** Of a name of a project, section, label or saved filter, in code points. */
export const GROUP_NAME_LENGTH = 100

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

/** The name in NFC, and as names are compared. Throws invalid_request. */
export function checkGroupName(sent: string, pointer = '/name'): { name: string; name_key: string } {
  const name = sent.normalize('NFC')
  requireLength(name, GROUP_NAME_LENGTH, pointer)
  if (name === '' || name !== name.trim() || CONTROL.test(name))
    throw invalid(pointer, 'invalid_name', 'a name must be one line, not blank, without white space at its ends')
  return { name, name_key: titleKey(name) }
}

/** Names of labels by how they are compared: each once, as it is spelled first. Throws invalid_request at `/labels/<n>`. */
export function distinctNames(names: readonly string[]): Map<string, ReturnType<typeof checkGroupName>> {
  const distinct = new Map<string, ReturnType<typeof checkGroupName>>()
  for (const [i, sent] of names.entries()) {
    const name = checkGroupName(sent, `/labels/${i}`)
    if (!distinct.has(name.name_key)) distinct.set(name.name_key, name)
  }
  return distinct
}
