import type { CompleteRequest, CompleteResult, Server } from '@modelcontextprotocol/server'
import { titleKey } from '../lib/text'
import { collectItems } from '../tools/find'
import type { McpCall } from './call'
import { type Completion, completeArgument } from './prompts'
import { invalidParams, withProtocolErrors } from './protocol-errors'
import type { McpMatches, McpServices } from './services'
import { DAILY_TEMPLATE, NOTE_TEMPLATE } from './uris'

/** Values of a completion, at most; the protocol allows no more. */
const MAX_VALUES = 100

export function registerCompletion(server: Server, { session }: McpCall, services: McpServices): void {
  server.registerCapabilities({ completions: {} })
  const { names } = services.notes
  const complete: Record<Completion, (text: string) => Promise<McpMatches>> = {
    note: (text) => names.completeTitle(session, text, MAX_VALUES),
    date: (text) => names.completeDate(session, text, MAX_VALUES),
    async deck(text) {
      const decks = await collectItems({
        page: (paging) => services.flashcards.listDecks(session, paging),
        keep: () => true,
      })
      return rank(
        decks.map(({ name }) => name),
        text,
      )
    },
  }
  server.setRequestHandler('completion/complete', ({ params }) =>
    withProtocolErrors(async () => {
      const completion = findCompletion(params)
      return toResult(completion ? await complete[completion](params.argument.value) : { names: [], more: false })
    }),
  )
}

/** Returns what completes an argument; null for one that takes any text. Throws invalid parameters if it is unknown. */
function findCompletion({ ref, argument }: CompleteRequest['params']): Completion | null {
  if (ref.type === 'ref/prompt') return completeArgument(ref.name, argument.name)
  if (ref.uri === NOTE_TEMPLATE && argument.name === 'id') return 'note'
  if (ref.uri === DAILY_TEMPLATE && argument.name === 'date') return 'date'
  throw invalidParams(`There is no template ${ref.uri} with an argument ${argument.name}.`)
}

/** Returns the names that begin with a text, then those that hold it, compared as titles are. */
function rank(all: readonly string[], text: string): McpMatches {
  const key = titleKey(text)
  const places = all.map((name) => ({ name, at: titleKey(name).indexOf(key) })).filter(({ at }) => at >= 0)
  const best = [...places.filter(({ at }) => at === 0), ...places.filter(({ at }) => at > 0)]
  return { names: best.slice(0, MAX_VALUES).map(({ name }) => name), more: best.length > MAX_VALUES }
}

/** Leaves the total out: to know it, all notes would have to be read. */
function toResult({ names, more }: McpMatches): CompleteResult {
  return { completion: { values: [...names], hasMore: more } }
}
