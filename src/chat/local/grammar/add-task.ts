import type { WriteIntent } from './intent'
import { commandForm, firstForm, LIST_NOUN, TASK_NOUN } from './patterns'

const PUT =
  '(?:add|put|place|include|throw|list|enter|stick|insert|append|log|pencil in|tack|slap|pop|toss|drop|stick|squeeze|record|save|store|register|type|get|(?:write|mark|jot|note)(?: down)?)'
const MAKE =
  '(?:(?:add|create|make|set|get|give|send|schedule|put|open|enter|establish|have|start|save|place|generate|arrange|program|activate|leave|record|log)(?: up| in| out)?(?: (?:for )?(?:me|us))?(?: up)?(?: with)?|new)'
const WANT = "(?:i(?:'d| would)? (?:need|want)|i(?:'d| would) like|get|have)"
/** The words of quick add for each recurrence. */
const EACH: Readonly<Record<string, string>> = {
  daily: 'every day',
  weekly: 'every week',
  monthly: 'every month',
  yearly: 'every year',
}
const POLITE = '(?:(?:please|also|just|kindly|and|so|can you|could you|will you|would you|then)[, ]+)*'
/** Words that do not say what there is to do. */
const NOTHING =
  /^(?:(?:do |get |about |of )?(?:something|it|this|that|that thing|stuff|things?|again|later|one|done|made|set|please|for (?:me|later)|at a later time|a while|awhile|to do something)(?: (?:later|again|done|in a bit|in a ?while|of this|for me|please|at a later time))*)$/i
/** The beginning of a question, as opposed to a request for a reminder. */
const ASKS =
  /^(?:of |about )?(?:what|who|whom|whose|where|why|how|which|if|whether|when)\b|^(?:of|about) (?:the |my )?(?:tasks?|things?|items|list)\b|^(?:the|my|all) (?:things?|tasks|items|list|reminders)\b/i

const TIMES =
  '(?:(?:on |at |in |by |this |next |every |the )*(?:today|tonight|tomorrow|tommorow|morning|afternoon|evening|noon|night|weekend|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\\d{1,2}(?::\\d\\d)?(?: ?[ap]m)?|\\d{1,2}(?:st|nd|rd|th)|(?:an?|\\d+|two|three|half an) (?:hours?|minutes?|days?|weeks?))[ ,]*){1,4}'
const ONLY_TIME = new RegExp(`^(?:for )?${TIMES}$`, 'i')

type AddTask = Extract<WriteIntent, { readonly kind: 'add_task' }>

/** Reads the words for quick add; null if they do not say what to do. */
function toAddTask(words: string, when = ''): AddTask {
  const text = words
    .replace(/^["“](.*)["”]$/, '$1')
    .replace(/^(?:remember )?to (?=\w)/i, '')
    .replace(/^that (?=i\b)/i, '')
    .replace(/^i need to (?:remember to )?(?=\w)/i, '')
  const nothing = text === '' || NOTHING.test(text) || ONLY_TIME.test(text)
  return { kind: 'add_task', text: nothing ? null : `${text}${when === '' ? '' : ` ${when}`}` }
}

/** Reads "remind me …". A time may come before what there is to do; quick add expects it after. */
function toReminder(words: string): WriteIntent | null {
  const rest = words.replace(/^(?:again|later|please)\b[, ]*/i, '')
  if (ASKS.test(rest)) return null
  const about = /^of (?<what>.+)$/i.exec(rest)?.groups?.what
  // "Remind me of the date" is a question about the date.
  if (about !== undefined && !NOTHING.test(about) && !/^\w+ing\b/i.test(about)) return null
  const timed = new RegExp(`^(${TIMES})(?:to|that|about) (.+)$`, 'i').exec(rest)
  if (timed) return toAddTask(timed[2] ?? '', (timed[1] ?? '').trim())
  return toAddTask(rest.replace(/^(?:to|about|of|that|for)\s+(?=\S)/i, ''))
}

/** The beginning of a time or a condition before "remind me". */
const BEFOREHAND =
  /^(?:and |so )?(?:at|on|in|next|tomorrow|tonight|today|every|each|this|before|after|the next|if|by|once|as soon|later|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d)/i

const ALERT = '(?:reminders?|alarms?|notifications?|alerts?)'

export const addTaskForms = firstForm([
  commandForm(
    `${MAKE}(?: up)? (?:an? |the |my )?(?:new )?${ALERT} to remind me(?: to| about| of| that) (?<what>.+)`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?:send me |give me |set |set up )?(?:an? )?reminder to remind me(?: to)? (?<what>.+)`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(`remind me(?: (?<what>.+))?`, ({ what = '' }) => toReminder(what)),
  commandForm(
    `(?<when>[^.?!]{2,60}?),? ${POLITE}remind me (?:to|about|that) (?<what>.+)`,
    ({ what = '', when = '' }) =>
      !BEFOREHAND.test(when) ? null : toAddTask(what, when.replace(/^(?:and|so)\s+/i, '')),
  ),
  commandForm(
    `(?:i (?:need|have|want) to (?<what>.+?)|(?:i (?:need|have) (?<thing>.+?)))[,;.]?(?: so| and)? ${POLITE}remind me(?: (?:to do (?:it|that)|about (?:it|that)))?`,
    ({ what, thing = '' }) => toAddTask(what ?? thing),
  ),
  commandForm(
    `(?<what>(?!what|who|when|where|why|how|did|do\\b|don'?t)[^.?!]{3,80}?)(?:[,;]| please) ${POLITE}remind me`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?:i (?:need|want|would like|'d like|have)|i'd like|get|let me)(?: to)? (?:be|get) (?:reminded|notified)(?: (?:to|about|of|that) (?<what>.+))?`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `be (?:reminded|notified)(?: (?:to|about|of|that) (?<what>.+))?|get (?:reminded|notified) (?:to|about|of) (?<thing>.+)`,
    ({ what, thing }) => toAddTask(what ?? thing ?? ''),
  ),
  commandForm(`(?:don'?t|do not|never) let me forget(?: (?:to|about|that) (?<what>.+))?`, ({ what = '' }) =>
    toAddTask(what),
  ),
  commandForm(`(?:tell|notify|alert|nudge|ping) me to (?<what>.+ (?:${TIMES}))`, ({ what = '' }) => toAddTask(what)),
  commandForm(
    `${PUT} (?<what>.+?)(?: down)? (?:on|onto|to|in|into|as part of) (?:${LIST_NOUN})(?: (?:for me|to (?:complete|do|accomplish)))?(?<when> (?:for|by|on|at|in|before|after|until|due|today|tomorrow|tonight|this|next|every)\\b.*)?`,
    ({ what = '', when = '' }, { head }) => toListedTask(what, when, head),
  ),
  commandForm(`${PUT}(?: down)? (?:on|onto|to|in) (?:${LIST_NOUN})[,:]? (?<what>.+)`, ({ what = '' }) =>
    toAddTask(what),
  ),
  commandForm(
    `(?:on|onto|to|in) (?:${LIST_NOUN}),? ${POLITE}(?:${PUT}|i (?:need|want)) (?<what>.+?)(?: added| put)?`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?:i (?:need|want)|have|get) (?<what>.+?) (?:put|added|placed|included) (?:on|onto|to) (?:${LIST_NOUN})`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?:sure )?(?:make sure )?(?:that )?(?<what>.+?) (?:needs|has) to (?:be|go|be put|be added) (?:on|onto|to) (?:${LIST_NOUN})`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?:you )?make sure (?:that )?(?<what>.+?) (?:is|are|gets?) (?:put |added )?(?:on|onto|to|in) (?:${LIST_NOUN})`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?:i (?:need|have|want) to )?(?<what>.+?)[,;.]?(?: so| and)? ${POLITE}(?:put|add) (?:it|that|this) (?:on|onto|to) (?:${LIST_NOUN})`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `${MAKE} (?:an? |another |the |one |my |this |some |a few )?(?:new )?(?:(?<often>daily|weekly|monthly|yearly) |(?:recurring|quick|short|repeating|second|special|simple|important|urgent|personal|voice|phone|little|one-time|follow-up) )?${TASK_NOUN}s?(?! (?:list|force|manager|bar|app|board)\\b)(?: for me| in| set)?(?: made)?(?:(?: ?[:,-] ?| (?:that says|which says|saying|called|named|titled|to remind me to|to|for|that|about|of|reading) | (?=["“]))(?<what>.+))?`,
    ({ what = '', often }) => toAddTask(what, often && EACH[often.toLowerCase()]),
  ),
  commandForm(
    `(?:set(?: up)?|make|create|add|new) (?:a |new )*(?:reminder|task|todo) (?!list|force|manager|lists|bar|app|board|in |on )(?<what>.+)`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?:how about|i need|i want|i would like|i'd like|need|can i have|have|may i have) (?:to (?:have|set|make|create|add) )?(?:an?|another) (?:new )?(?:reminder|task)(?: (?:set|made|created|added))?(?: (?:to remind me to|to|for|about) (?<what>.+))?`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(`(?:${WANT} )(?<what>.+?)(?: to be)? (?:on|in|to) (?:${LIST_NOUN})`, ({ what = '' }) => toAddTask(what)),
  commandForm(
    `(?:can|could|may|would|should) (?!(?:tasks|items|things|notes|reminders) be )(?<what>.+?) be (?:put|added|placed|included|listed) (?:on|onto|to|in) (?:${LIST_NOUN})`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?:update|extend|change|edit|amend|modify) (?:${LIST_NOUN}) (?:with|to include|to add|to have|by adding|and add|and include) (?<what>.+)`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(`(?:notify|alert|nudge|ping|prompt) me (?:to|about|that) (?<what>.+)`, ({ what = '' }) =>
    toAddTask(what),
  ),
  commandForm(
    `(?:give me|send me|i need|i want|i'd like|set(?: up)?|create|make|schedule) (?:an? )?${ALERT} (?:to|about|that|for) (?<what>(?!when|if|whenever).+)`,
    ({ what = '' }, { head }) =>
      /^(?:\S+ ){0,4}(?:alarms?|notifications?|alerts?)\b/i.test(head) ? null : toAddTask(what),
  ),
  commandForm(
    `(?<when>[^.?!]{2,60}?),? ${POLITE}${MAKE} (?:an? |another |the )?(?:new )?(?:${TASK_NOUN})s? (?:to remind me to|to|for|about|that) (?<what>.+)`,
    ({ what = '', when = '' }) => (BEFOREHAND.test(when) ? toAddTask(what, when.replace(/^for /i, '')) : null),
  ),
  commandForm(
    `(?:i|i'm|i've|i'll|my|we|we're|there)\\b[^?]{3,120}?[,;.!] ?${POLITE}remind me (?:to|about) (?<what>.+)`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?<what>(?:i|i'm|i've|i'll|my|we|we're|there's|there is)\\b[^.?!]{3,120}?)[.;,!]? ${POLITE}(?:set|make|create|add)(?: me)?(?: up)? (?:an?|the) reminder(?: (?:for|about|of) (?:it|that|this))?`,
    ({ what = '' }) => toAddTask(what),
  ),
  commandForm(
    `(?:help|make) me (?:to )?remember (?:to|that) (?<what>.+)|make sure (?:that )?i (?:remember|don'?t forget|do not forget|get reminded)(?: to| about| that)? (?<other>.+)`,
    ({ what, other = '' }) => (ASKS.test(what ?? other) ? null : toAddTask(what ?? other)),
  ),
  commandForm(
    `${PUT} (?<what>.+?) (?:to|on|in|into|onto|under|as) (?:(?:the |my |an? )?(?:new )?(?:${TASK_NOUN}s?|to-?dos|chores))(?<when> (?:for|by|on|at|in|before|after|due|today|tomorrow|tonight|this|next|every)\\b.*)?`,
    ({ what = '', when = '' }, { head }) => toListedTask(what, when, head),
  ),
  commandForm(
    `(?:${PUT}|update|change|edit|modify|make (?:a )?changes? to|make (?:an )?(?:additions?|updates?) to)(?: down)?(?: to| on| in)? (?:${LIST_NOUN})`,
    () => toAddTask(''),
  ),
  commandForm(
    `(?:make|create|start|begin|set up)(?: me| us)? (?:an? |my |the )?(?:new )?(?:to-? ?do|todo|task|reminders?|chores?) ?-?list(?: (?:for|of)\\b.*)?`,
    () => toAddTask(''),
  ),
])

/** Reads "add X to my list for tomorrow": after the list comes the time. */
function toListedTask(what: string, when: string, head: string): WriteIntent | null {
  if (/^for (?:shopping|groceries|the (?:shop|store))\b/i.test(when)) return null
  if (/^list (?:each|all|every|everything|the|my|items?|what)\b/i.test(head)) return null
  return toAddTask(what, when.replace(/^for (?=\w)/i, ''))
}
