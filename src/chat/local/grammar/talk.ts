import { type Cell, readingCell } from './cells'
import type { Slots } from './shapes'

type Talk = 'help' | 'greeting' | 'thanks' | 'compose'

const talk = (kind: Talk, shapes: string, fits: (slots: Slots) => boolean = () => true): Cell =>
  readingCell(kind, shapes, (slots) => (fits(slots) ? { kind } : null))

const SUM = /^[\d\s.()]+(?:[-+*/x^]|plus|minus|times|divided by) ?[\d\s.()+*/x^-]+$/i
/** Words between the verb and the sort of text: "a short funny birthday poem". */
const MAX_KIND_WORDS = 3

/** Talk that is about no note or task, and requests to write, translate or reason. */
export const TALK_CELLS: readonly Cell[] = [
  talk('greeting', 'mark* hello greeted* mark*'),
  talk('thanks', 'thank thanked* mark*'),
  talk(
    'help',
    `mark* help me? mark* | shows? me? which kinds* can youall able? helping aspect* | which model areyou
    | are bot <text>? | which areyour talents | howdo youall work?`,
  ),
  talk(
    'compose',
    'reason <text>? | howsay <text> inside <language> | howis <text> said inside <language> | say <text> inside tongue',
  ),
  talk('compose', 'whatis <sum>', ({ sum = '' }) => SUM.test(sum)),
  talk(
    'compose',
    'compose me? det? <kind>? texts | compose me? det? <kind>? texts topic <text>?',
    ({ kind = '' }) => kind.split(' ').length <= MAX_KIND_WORDS,
  ),
]
