import { invalid } from '../../http/api-error'
import { requireLength } from '../../http/values'
import { titleKey } from '../../lib/text'

/** Of the name and the description of a deck, in code points. */
export const DECK_NAME_LENGTH = 200
export const DESCRIPTION_LENGTH = 10_000

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

/** The name in NFC, and as names are compared. Throws invalid_request. */
export function readDeckName(sent: string): { name: string; name_key: string } {
  const name = sent.normalize('NFC')
  requireLength(name, DECK_NAME_LENGTH, '/name')
  if (name === '' || name !== name.trim() || CONTROL.test(name))
    throw invalid('/name', 'invalid_name', 'a name must be one line, not blank, without white space at its ends')
  if (name.includes('::'))
    throw invalid('/name', 'invalid_name', 'a name must not hold ::, which stands between a deck and its subdeck')
  return { name, name_key: titleKey(name) }
}
