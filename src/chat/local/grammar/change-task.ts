import { unquoteName, type WriteIntent } from './intent'
import { commandForm, firstForm, LIST_NOUN, TASK_NOUN } from './patterns'

const ALL =
  '(?:all|everything|every ?thing|every (?:item|task|thing)|all (?:of )?(?:the )?(?:items?|tasks?|things?|reminders?|chores)|the (?:items|whole|entire|tasks)|it all)'
const CLEAR =
  '(?:clear|empty|blank|wipe|erase|delete|remove|nuke|reset|purge|trash|clean|cancel|get rid (?:of|off)|take|scratch|cross)'
const OFF = '(?:complete|finish|close|check off|tick off|cross off|mark off)'
const NAMED = `(?:the |my |that |this )?(?:${TASK_NOUN}) (?:of |called |named |titled |to |about )?`
const PRIORITIES: Readonly<Record<string, number>> = {
  ...{ urgent: 1, highest: 1, top: 1, critical: 1, high: 2, medium: 3, normal: 3, low: 4, lowest: 4, none: 0, no: 0 },
  ...{ '0': 0, '1': 1, '2': 2, '3': 3, '4': 4 },
}
const LEVEL = '(?<level>urgent|highest|top|critical|high|medium|normal|low|lowest|none|no|[0-4])'
const WHEN = '(?<when>.{2,80})'

const toClearTasks = (): WriteIntent => ({ kind: 'clear_tasks' })
const toCompleteTask = (words: string): WriteIntent => ({ kind: 'complete_task', task: unquoteName(words) })
const toTrashTask = (words: string): WriteIntent => ({ kind: 'trash', type: 'task', named: unquoteName(words) })

const UNCLEAR =
  /^(?:|it|this|that|them|these|those|one|something|stuff|things?|an? (?:item|task|thing)|items?|(?:the |that |this |your |my )?(?:last|latest|present|current|previous|next|first|top)(?: (?:one|item|task|thing|entry))?)$/i

/**
 * Wraps a meaning that needs the name of one task. Words for all tasks are not a name. If the name is unclear, `onList`
 * shows the list.
 */
const forOneTask =
  (meaning: (words: string) => WriteIntent, onList = false) =>
  ({ task = '' }: Readonly<Record<string, string>>): WriteIntent | null => {
    const name = task.replace(/ any ?more$/i, '')
    if (UNCLEAR.test(name)) return onList ? toClearTasks() : null
    return new RegExp(`^${ALL}$`, 'i').test(name) ? toClearTasks() : meaning(name)
  }

const toMoveTask = ({ task = '', when = '' }: Readonly<Record<string, string>>): WriteIntent | null =>
  task === '' || /\b(?:trash|bin)$/i.test(when) ? null : { kind: 'move_task', task: unquoteName(task), when }

function toRankTask({ task = '', level = '' }: Readonly<Record<string, string>>): WriteIntent | null {
  const priority = PRIORITIES[level.toLowerCase()]
  return priority === undefined || task === '' ? null : { kind: 'rank_task', task: unquoteName(task), priority }
}

export const changeTaskForms = firstForm([
  commandForm(
    `${CLEAR}(?: out| off)?(?: ${ALL})?(?: (?:of|from|on|in|off|off of|out of))?(?: all)?(?: (?:my|the))?(?: (?:whole|entire|complete))? (?:${LIST_NOUN})(?: (?:out|please|completely|clean))*`,
    toClearTasks,
  ),
  commandForm(
    `(?:make|leave|set)(?: sure)? (?:${LIST_NOUN})(?: is)?(?: completely| all)? (?:blank|empty|clear|cleared|clean)`,
    toClearTasks,
  ),
  commandForm(`(?:sure )?(?:${LIST_NOUN}) is (?:completely )?(?:blank|empty|clear)`, toClearTasks),
  commandForm(
    `(?:i (?:do not|don'?t) .{3,60} so )(?:just )?(?:clear|empty|delete|erase) (?:out )?(?:${LIST_NOUN})`,
    toClearTasks,
  ),
  commandForm(
    `i(?:'m| am)? ?(?:just |have |'ve )*(?:finished|done|completed|did)(?: with)? (?<task>.+?)[,;.]?(?: so| and)? (?:please )?(?:cross|check|tick|mark|take|scratch|strike)(?: (?:that|it|this))? (?:off|done)(?:(?: of| from)? (?:${LIST_NOUN}))?`,
    forOneTask(toCompleteTask, true),
  ),
  commandForm(
    `i (?:no longer|don'?t|do not) (?:need|have|want) to (?<task>.+?)[,;.]?(?: so| and)? (?:please )?(?:take|remove|delete|scratch|cross|erase) (?:that|it|this) (?:off|of|from)(?: of)? (?:${LIST_NOUN})`,
    forOneTask(toTrashTask, true),
  ),
  commandForm(
    `(?:cross|check|tick|mark)(?: off)? (?<task>.+?)(?: off| from| off of| as done (?:on|in))(?: of| from| on)? (?:${LIST_NOUN})`,
    forOneTask(toCompleteTask, true),
  ),
  commandForm(
    `(?:take|remove|delete|erase|scratch|strike|nix|drop|get rid of|cancel|clear|pull|cut|throw|eliminate|discard|knock|axe|ditch|dump|omit|exclude|wipe|kick|trash|subtract)(?: out)? (?<task>.+?)(?: out| off)?(?: of| from| off| on| in| off of)? (?:${LIST_NOUN})`,
    forOneTask(toTrashTask, true),
  ),
  commandForm(
    `(?:mark|set|flag) (?:${NAMED})?(?<task>.+?) (?:as |to )?(?:not done|undone|open|not complete|incomplete|unfinished)(?: again)?`,
    ({ task = '' }) => ({ kind: 'reopen_task', task: unquoteName(task) }),
  ),
  commandForm(`(?:re-?open|un-?complete|un-?check|restart) (?:${NAMED})?(?<task>.+)`, ({ task = '' }) => ({
    kind: 'reopen_task',
    task: unquoteName(task),
  })),
  commandForm(
    `(?:mark|set|flag) (?:${NAMED})?(?<task>.+?) (?:as |to )?(?:done|complete|completed|finished)`,
    forOneTask(toCompleteTask),
  ),
  commandForm(
    `${OFF} ${NAMED}(?<task>.+)|${OFF} (?:the |my )?(?<quoted>["“].+["”])|(?:check|tick|cross) off (?<plain>.+)|(?:complete|finish|close) (?:the |my )?(?<last>.+) (?:task|to-?do|reminder|chore)`,
    (found) => forOneTask(toCompleteTask)({ task: found.task ?? found.quoted ?? found.plain ?? found.last ?? '' }),
  ),
  commandForm(
    `(?:move|reschedule|postpone|push(?: back)?|shift|delay|defer|put off|change|set|make) ${NAMED}(?<task>.+?) (?:(?:due|date|due date) )?(?:to|until|till|on|due|for) ${WHEN}`,
    toMoveTask,
  ),
  commandForm(
    `(?:change|set|move|make) the (?:due date|date|deadline|time) (?:of|for) ${NAMED}(?<task>.+?) (?:to|as|on) ${WHEN}`,
    toMoveTask,
  ),
  commandForm(
    `(?:reschedule|postpone|put off|move|push|defer) (?:the |my )?(?<task>["“].+["”]) (?:to|until|till|on|for) ${WHEN}`,
    toMoveTask,
  ),
  commandForm(
    `(?:set|change|raise|lower) the priority (?:of|for) (?:${NAMED})?(?<task>.+?) to ${LEVEL}(?: priority)?`,
    toRankTask,
  ),
  commandForm(
    `(?:make|set|mark|give|change) ${NAMED}(?<task>.+?) (?:to |as |a |an )?(?:${LEVEL} priority|priority (?:to )?(?<level2>urgent|high|medium|low|none|[0-4])|(?<urgent>urgent))`,
    ({ level, level2, urgent, task = '' }) => toRankTask({ task, level: level ?? level2 ?? urgent ?? '' }),
  ),
  commandForm(
    `(?:rename|retitle) ${NAMED}(?<task>.+?) (?:to|as|into) (?<title>.+)|(?:rename|retitle) (?<quoted>["“][^"”]+["”]) (?:to|as) (?<title2>["“].+["”])`,
    ({ task, quoted, title, title2 }) => ({
      kind: 'rename_task',
      task: unquoteName(task ?? quoted ?? ''),
      title: unquoteName(title ?? title2 ?? '').words,
    }),
  ),
  commandForm(
    `(?:trash|delete|remove|erase|discard|bin|throw away|cancel|get rid of) (?:the |my |that )?(?:${TASK_NOUN}) (?:called |named |titled |to |about |for )?(?<task>.+?)|(?:trash|delete|remove|erase|discard|cancel) (?:the |my )?(?<last>.+?) (?:task|to-?do|reminder|chore)|move (?:the |my )?(?:${TASK_NOUN}) (?<moved>.+?) (?:to|into) the (?:trash|bin)`,
    ({ task, last, moved: gone }) => forOneTask(toTrashTask)({ task: task ?? last ?? gone ?? '' }),
  ),
  commandForm(
    `(?:i(?:'d| would)? (?:need|want|like)|get|have|can|could|may|would) (?<task>.+?) (?:to be |be )?(?:removed|taken(?: off)?|deleted|erased|scratched(?: off)?|dropped|cleared|struck)(?: from| off| of| off of| on)? (?:${LIST_NOUN})`,
    forOneTask(toTrashTask, true),
  ),
  commandForm(
    `(?:i(?:'d| would)? (?:need|want|like)|get|have|can|could|may|would) (?<task>.+?) (?:to be |be )?(?:crossed off|checked off|ticked off|marked(?: as)? (?:done|complete|completed|off)|crossed|checked|ticked)(?: from| of| off of| on| in)? (?:${LIST_NOUN})`,
    forOneTask(toCompleteTask, true),
  ),
  commandForm(
    `(?<task>.+?) (?:is|are|has been|have been|was|got) (?:done|finished|completed|complete)[,;.]?(?: so| and)? (?:please )?(?:cross|check|tick|mark|take|remove|scratch|strike|delete|erase) (?:it|that|this|them)(?: (?:off|done|from|out)(?: of| from)?(?: (?:${LIST_NOUN}))?)`,
    forOneTask(toCompleteTask, true),
  ),
  commandForm(
    `i(?:'m| am| have|'ve)? ?(?:just |already )?(?:finished|done|completed|did)(?: with)? (?<task>.+?)[,;.]?(?: so| and)? (?:please )?(?:remove|delete|erase|take) (?:it|that|this)(?: (?:off|from|out))?(?: of)? (?:${LIST_NOUN})`,
    forOneTask(toCompleteTask, true),
  ),
  commandForm(
    `(?:from|off|off of|on|in) (?:${LIST_NOUN}),? (?:please )?(?:remove|delete|erase|take|scratch|strike|drop|clear)(?: off| out)? (?<task>.+?)(?: off)?`,
    forOneTask(toTrashTask, true),
  ),
  commandForm(
    `(?:on|from|off|in) (?:${LIST_NOUN}),? (?:please )?(?:cross|check|tick|mark)(?: off)? (?<task>.+?)(?: off| as done| done| as completed?)?`,
    forOneTask(toCompleteTask, true),
  ),
  commandForm(
    `i(?:'ve| have)? (?:already |just )(?<task>.+?)[,;.!]?(?: so| and)? (?:you can |please )*(?:remove|take|cross|check|tick|scratch|delete|mark) (?:it|that|this) (?:off|from|out|as done|done)(?: of| on| from)?(?: (?:${LIST_NOUN}))?`,
    forOneTask(toCompleteTask, true),
  ),
  commandForm(
    `i (?:no longer|don'?t|do not) (?:need|want) (?<task>.+?) (?:on|in) (?:${LIST_NOUN})(?: any ?more)?`,
    forOneTask(toTrashTask, true),
  ),
  commandForm(
    `(?:replace|swap|change|switch|edit|update) (?<task>.+?) (?:with|to|for|by) (?<title>.+?) (?:on|in) (?:${LIST_NOUN})`,
    ({ task = '', title = '' }) => ({ kind: 'rename_task', task: unquoteName(task), title: unquoteName(title).words }),
  ),
  commandForm(`(?:change|edit|update|modify|fix) (?<task>.+?) (?:on|in) (?:${LIST_NOUN})`, () => toClearTasks()),
])
