/** Letters' keys with a sign: Greek, Hebrew and Bulgarian keyboards have these, those with Latin letters do not. */
const SIGN_ON_LETTER = /^(?:KeyQ[;/,]|KeyW')$/

/** The key of an event as a keyboard with Latin letters has it, where its own are others: Cyrillic, Greek or Hebrew. */
export function latinKey({ key, code, shiftKey }: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string {
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? []
  const isOther = /^(?!\p{Script=Latin})\p{L}$/u.test(key) || SIGN_ON_LETTER.test(code + key)
  return letter === undefined || !isOther ? key : shiftKey ? letter : letter.toLowerCase()
}
