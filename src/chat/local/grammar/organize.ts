import { type NamedItem, unquoteName, type WriteIntent } from './intent'
import { commandForm, firstForm } from './patterns'

/** Changes of what a note or a task is called and where it is: its title, tags, folder, project, text and the trash. */

const KIND = '(?:the |my |that )?(?<kind>note|task|reminder|to-?do)(?: (?:called|named|titled|about))?'
const NAME = '["“][^"”]+["”]|[^:]+?'
const NOTE = '(?:the |my |that )?note(?: (?:called|named|titled))?'

type Groups = Readonly<Record<string, string>>

const typeOf = ({ kind = '' }: Groups): 'note' | 'task' => (/^note$/i.test(kind) ? 'note' : 'task')
const namedOf = ({ name = '' }: Groups): NamedItem => unquoteName(name)
const plain = (text = ''): string => unquoteName(text).words
const bareTag = (text = ''): string => plain(text).replace(/^[#@]/, '')

const toTag =
  (adds: boolean) =>
  (found: Groups): WriteIntent | null => {
    const tag = bareTag(found.tag ?? found.tag2)
    return tag === '' ? null : { kind: 'tag_item', type: typeOf(found), named: namedOf(found), tag, adds }
  }

/** These come before the forms of notes and tasks: "move the task X to the project Y" names no date. */
export const organizeForms = firstForm([
  commandForm(
    `(?:rename|retitle) ${NOTE} (?<name>${NAME}) (?:to|as|into) (?<title>.+)|change the title of ${NOTE} (?<name2>${NAME}) to (?<title2>.+)`,
    ({ name, name2, title, title2 }) => ({
      kind: 'rename_note',
      note: unquoteName(name ?? name2 ?? ''),
      title: plain(title ?? title2),
    }),
  ),
  commandForm(
    `(?:tag|label|mark) ${KIND} (?<name>${NAME}) (?:with|as) (?:the )?(?:tag |label )?(?<tag>["“].+["”]|[#@]\\S+|(?!(?:done|completed?|finished|undone|open|urgent|not|incomplete|unfinished)(?: |$))[^\\s:]+)`,
    toTag(true),
  ),
  commandForm(
    `(?:add|put|set) (?:the )?(?:tag |label )(?<tag>["“].+?["”]|\\S+) (?:to|on|for) ${KIND} (?<name>${NAME})`,
    toTag(true),
  ),
  commandForm(
    `(?:remove|delete|take) (?:the )?(?:tag |label )(?<tag>["“].+?["”]|\\S+) (?:from|off|of) ${KIND} (?<name>${NAME})|untag ${KIND.replace('kind', 'kind2')} (?<name2>${NAME}) (?<tag2>[#@]\\S+)`,
    ({ kind, kind2, name, name2, tag, tag2 }) =>
      toTag(false)({ kind: kind ?? kind2 ?? '', name: name ?? name2 ?? '', tag: tag ?? tag2 ?? '' }),
  ),
  commandForm(
    `(?:move|file|put) ${NOTE} (?<name>${NAME}) (?:to|into|in) (?:the |my )?(?:folder (?<folder>.+)|(?<folder2>["“].+["”]|[^"“”]+?) folder)`,
    ({ name = '', folder, folder2 }) => ({
      kind: 'move_note',
      note: unquoteName(name),
      folder: plain(folder ?? folder2),
    }),
  ),
  commandForm(
    `(?:move|put|add) (?:the |my |that )?(?:task|reminder|to-?do)(?: (?:called|named|titled))? (?<name>${NAME}) (?:to|into|in) (?:the |my )?(?:project (?<project>.+)|(?<project2>["“].+["”]|[^"“”]+?) project)`,
    ({ name = '', project, project2 }) => ({
      kind: 'file_task',
      task: unquoteName(name),
      project: plain(project ?? project2),
    }),
  ),
  commandForm(
    `(?:remove|clear|delete) the (?:due )?date (?:of|from|for) (?:the |my )?(?:task|reminder|to-?do)(?: (?:called|named|titled))? (?<name>${NAME})`,
    ({ name = '' }) => ({ kind: 'clear_date', task: unquoteName(name) }),
  ),
  commandForm(
    `(?:restore|undelete|recover|bring back) ${KIND} (?<name>${NAME})(?: from the (?:trash|bin))?|take ${KIND.replace('kind', 'kind2')} (?<name2>${NAME}) out of the (?:trash|bin)`,
    ({ kind, kind2, name, name2 }) => ({
      kind: 'restore',
      type: typeOf({ kind: kind ?? kind2 ?? '' }),
      named: unquoteName(name ?? name2 ?? ''),
    }),
  ),
  commandForm(
    `(?:replace|change) (?<find>["“][^"”]+["”]) (?:with|by|to|into) (?<text>["“][^"”]*["”]) (?:in|of) ${NOTE} (?<name>${NAME})`,
    ({ find, text, name = '' }) => ({
      kind: 'edit_note',
      note: unquoteName(name),
      find: plain(find),
      text: /^["“]["”]$/.test(text ?? '') ? '' : plain(text),
    }),
  ),
  commandForm(
    `(?:replace|overwrite|set|change|rewrite) (?:all )?(?:the )?(?:whole )?(?:text|body|content) of ${NOTE} (?<name>${NAME}) ?(?:with|by|to|:) ?(?<text>.+)`,
    ({ name = '', text = '' }, { body }) => ({
      kind: 'edit_note',
      note: unquoteName(name),
      find: null,
      text: [plain(text), body].filter((part) => part !== '').join('\n'),
    }),
  ),
])
