import type { Intent, Message } from './intent'

type Groups = Readonly<Record<string, string>>

/** A pattern of a whole head, and what it means; null where the parts found do not fit together. */
export type Form = readonly [pattern: RegExp, meaning: (groups: Groups, message: Message) => Intent | null]

/** A form whose pattern, in pieces, has to match the whole head. */
export const form = (pattern: string, meaning: Form[1]): Form => [new RegExp(`^(?:${pattern})$`, 'i'), meaning]

/** The first form that fits. */
export function firstOf(forms: readonly Form[]): (message: Message) => Intent | null {
  return (message) => {
    for (const [pattern, meaning] of forms) {
      const match = pattern.exec(message.head)
      const intent = match && meaning(trimmed(match.groups), message)
      if (intent) return intent
    }
    return null
  }
}

function trimmed(groups: Readonly<Record<string, string | undefined>> | undefined): Groups {
  const found = Object.entries(groups ?? {}).filter(([, text]) => text !== undefined)
  return Object.fromEntries(found.map(([name, text]) => [name, text?.replace(/^[\s,:;-]+|[\s,;]+$/g, '') ?? '']))
}
