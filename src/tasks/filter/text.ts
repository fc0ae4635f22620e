import { titleKey } from '../../http/title-key'

/** Title and notes as a filter looks through them. No text that is asked for has a line break, so none reaches from one into the other. */
export function textOf({ title, notes }: { readonly title: string; readonly notes: string }): string {
  return `${titleKey(title)}\n${titleKey(notes)}`
}
