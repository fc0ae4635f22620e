import { cutCodePoints } from '../../../lib/text'
import { type GrammarMessage, type ReadIntent, unquoteName, type WriteIntent } from './intent'
import { commandForm, firstForm, LIST_NOUN, readForm } from './patterns'

const NEW = '(?:add|create|make|take|start|save|new|jot down|write(?: down)?|open|record)'
const NOTE = '(?:notes?)'
const TRASH = '(?:trash|delete|remove|erase|discard|bin|throw away|get rid of)'
const TITLED = '(?:called|named|titled|entitled|with the title)'

/** The end of a text that belongs on the list of tasks, not in a note. */
const ON_LIST = new RegExp(` (?:on|onto|to|in) (?:${LIST_NOUN})$`, 'i')

/** Code points of a title that is taken from the text. */
const MAX_TITLE_CHARS = 80

/** Reads a new note; without a title it is named after its beginning. `#word` outside of quotation marks is a tag. */
function toCreateNote(title: string | undefined, text: string, { body }: GrammarMessage): WriteIntent {
  const tags = [...(title ?? text).matchAll(/(?<=^|\s)#([\p{L}\p{N}_/-]{1,60})/gu)].map(([, tag]) => tag ?? '')
  const bare = (words: string) => words.replace(/(?:^|\s)#[\p{L}\p{N}_/-]{1,60}/gu, '').trim()
  const stated = title === undefined ? null : unquoteName(bare(title)).words
  const content = [unquoteName(title === undefined ? bare(text) : text).words, body]
    .filter((part) => part !== '')
    .join('\n\n')
  const name = stated || cutCodePoints(content.split('\n')[0] ?? '', MAX_TITLE_CHARS).trim()
  return { kind: 'create_note', title: name === '' ? null : name, body: content, tags }
}

const toAppendNote = (
  { note = '', text = '' }: Readonly<Record<string, string>>,
  { body }: GrammarMessage,
): WriteIntent | null => {
  const content = [unquoteName(text).words, body].filter((part) => part !== '').join('\n')
  return note === '' || content === '' ? null : { kind: 'append_note', note: unquoteName(note), text: content }
}

const toTrashNote = (words: string): WriteIntent => ({ kind: 'trash', type: 'note', named: unquoteName(words) })
const toFindNotes = (query: string): ReadIntent => ({ kind: 'find_notes', query: unquoteName(query).words })

export const noteForms = firstForm([
  commandForm(
    `(?:add|append|write|put|insert) (?:to|in|into|at the end of|on) (?:the |my )?note (?<note>["“][^"”]+["”]|[^:]+?) ?[:,] ?(?<text>.*)`,
    toAppendNote,
  ),
  commandForm(`(?:append|add) to (?<note>["“][^"”]+["”]) ?[:,] ?(?<text>.*)`, toAppendNote),
  commandForm(
    `(?:add|append|write|put|insert) (?<text>.+) (?:to|in|into|at the end of|on) (?:the |my )?note (?:${TITLED} |about )?(?<note>.+)`,
    toAppendNote,
  ),
  commandForm(
    `(?:add|append|write|put|insert) (?<text>.+) (?:to|in|into|at the end of|on) (?:the |my )(?<note>.+?) note`,
    toAppendNote,
  ),
  commandForm(`append (?<text>.+) to (?<note>["“][^"”]+["”])`, toAppendNote),
  commandForm(
    `${NEW}(?: me)? (?:an? |the |another )?(?:new )?note ${TITLED} (?<title>["“][^"”]+["”])(?: ?(?:[:,-]|with (?:the )?(?:text|body|content)|saying|that says|and write) ?(?<text>.*))?`,
    ({ title, text = '' }, message) => toCreateNote(title, text, message),
  ),
  commandForm(
    `${NEW}(?: me)? (?:an? |the |another )?(?:new )?note ${TITLED} (?<title>[^:]+?)(?:(?: ?: ?| with (?:the )?(?:text|body|content):? | saying | that says )(?<text>.*))?`,
    ({ title, text = '' }, message) => toCreateNote(title, text, message),
  ),
  commandForm(
    `${NEW}(?: me)? (?:an? |the |another )?(?:new )?note (?<title>["“][^"”]+["”])(?: ?(?:[:,-]|with|saying) ?(?<text>.*))?`,
    ({ title, text = '' }, message) => toCreateNote(title, text, message),
  ),
  commandForm(
    `${NEW}(?: me)? (?:an? |another )?(?:new )?note(?: for me)?(?: ?[:,-] ?| (?:that|saying|which says|that says|about|of|to self:?) )(?<text>.+)`,
    ({ text = '' }, message) => toCreateNote(undefined, text, message),
  ),
  commandForm(`${NEW}(?: me)? (?:an? |another )?(?:new )?note(?: for me| in satchel)?:?`, (_, message) =>
    toCreateNote(undefined, '', message),
  ),
  commandForm(`(?:note(?: to self)? ?:|note(?: to self)? that|memo ?:) ?(?<text>.+)`, ({ text = '' }, message) =>
    toCreateNote(undefined, text, message),
  ),
  commandForm(`(?:note down|jot down|make a note of|take note of)(?: that)?:? (?<text>.+)`, ({ text = '' }, message) =>
    ON_LIST.test(text) ? null : toCreateNote(undefined, text, message),
  ),
  commandForm(
    `${TRASH} (?:the |my |that )?note (?:${TITLED} |about |on )?(?<note>.+)|${TRASH} (?:the |my )(?<last>.+?) note|move (?:the |my )?note (?<moved>.+?) (?:to|into) the (?:trash|bin)`,
    ({ note, last, moved }) => {
      const words = note ?? last ?? moved ?? ''
      return words === '' ? null : toTrashNote(words)
    },
  ),
  readForm(
    `(?:find|search|show|list|look for|look up|get|give me|display|open|see)(?: for)?(?: me)?(?: all| any)?(?: of)?(?: my| the)? ${NOTE} (?:about|on|for|with|mentioning|that mention|which mention|containing|that contain|tagged|matching|regarding|${TITLED}|of) (?<query>.+)`,
    ({ query = '' }) => toFindNotes(query),
  ),
  readForm(
    `search(?: in| through)?(?: all)?(?: my| the)? notes? for (?<query>.+)|(?:which|what)(?: of my)? notes (?:mention|are about|contain|talk about|do i have (?:about|on)|are there (?:about|on))(?: the)? (?<other>.+)|(?:do i have|are there|is there) (?:any|a) notes? (?:about|on|mentioning) (?<third>.+)`,
    ({ query, other, third }) => toFindNotes(query ?? other ?? third ?? ''),
  ),
  readForm(
    `(?:find|open|show(?: me)?) (?:the |my )(?<query>.+?) notes?|(?:find|search for) (?:the |my )?notes? (?<other>["“].+["”])`,
    ({ query, other }) => toFindNotes(query ?? other ?? ''),
  ),
  readForm(
    `(?:summari[sz]e|sum up|recap|outline|tl;?dr(?: of)?|(?:give|show|make|write)(?: me)? (?:a |an |the )?(?:short |brief |quick )?(?:summary|overview|recap|outline|tl;?dr) (?:of|for|on))(?: the| my| this)?(?: notes?)?(?: (?:${TITLED}|on|about))? (?<note>.+?)(?: notes?)?`,
    ({ note = '' }) => ({ kind: 'summarize', note: unquoteName(note) }),
  ),
])
