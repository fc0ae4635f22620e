import type { GrammarMessage, ReadIntent, TaskSpan } from './intent'
import { firstForm, LIST_NOUN, readForm, TASK_NOUN } from './patterns'

const CHECK =
  '(?:check|look|see|confirm|verify|tell me|let me know|look to see|check to see|i need to know|know|inform me|please)'
const WHETHER = `(?:${CHECK} )*(?:(?:if|whether|that|to see if|to see whether) )?`
const ON = '(?:on|in|among|part of|coming up on|scheduled on|already on|currently on|listed on|listed in|scheduled in)'

/** Unambiguous names of the task list. */
const STRONG =
  "(?:to-? ?do|todo|task|reminders?|chores?) ?-?lists?|lists? of (?:my |the |all )*(?:reminders?|tasks|chores|to-? ?dos|things to (?:do|remember))|my (?:reminders?|to-? ?do'?s?|todo'?s?|chores|errands)"

/** A time, or nothing: "what do I have to do to reset the router" is another question. */
const LATER =
  '(?:[, ]+(?:today|tomorrow|tonight|this|next|now|yet|according|per|right|still|left|on|for|in|over|before|by|so far|currently|please)\\b.*)?'

/** Reads the span of time from the words of a message. */
function readSpan(head: string): TaskSpan {
  if (/\b(?:over ?due|late|missed|past due)\b/i.test(head)) return 'overdue'
  if (/\btomorrow\b/i.test(head)) return 'tomorrow'
  if (/\b(?:this|next|the|coming) (?:coming )?week\b|\bweekly\b|\b7 days\b/i.test(head)) return 'week'
  return /\b(?:today|tonight|this (?:morning|afternoon|evening))\b/i.test(head) ? 'today' : 'all'
}

function toListTasks(about: string | undefined, { head }: GrammarMessage): ReadIntent {
  const words = about
    ?.replace(/^(?:the |a |an |any |anything |have |already |item |items |to |related to |about |my )+(?=\S)/i, '')
    .replace(/ (?:already|scheduled|listed|right now|currently|today|tomorrow|coming up)$/i, '')
    .trim()
  const none =
    !words || /^(?:anything|something|items?|things?|tasks?|chores?|left|yet|what|it|stuff|reminders?)$/i.test(words)
  return { kind: 'list_tasks', span: readSpan(head), about: none ? null : words }
}

const toListAll: Parameters<typeof readForm>[1] = (_, message) => toListTasks(undefined, message)
const toListAbout: Parameters<typeof readForm>[1] = ({ about: words, other, third }, message) =>
  toListTasks(words ?? other ?? third, message)

const AGENDA =
  "(?:what(?:'s| is| do i have)?|show(?: me)?|give me|tell me|list|read(?: me)?|see|view|open|check|whats|how(?:'s| is| does))\\b.{0,20}\\b(?:agenda|on my plate|up next|coming up|my schedule|my day)(?: look(?:s|ing)?(?: like)?)?(?: (?:for )?(?:today|tomorrow|this week))?"

export const askTasksForms = firstForm([
  readForm(AGENDA, (_, message) =>
    /\btomorrow\b/i.test(message.head) ? toListTasks(undefined, message) : { kind: 'agenda' },
  ),
  readForm(
    `(?:what(?:'s| is)|anything) due|what'?s (?:happening|up|on) (?:today|this week)|(?:my )?(?:agenda|day)|(?:plan|brief|briefing|daily brief)(?: (?:for )?today)?`,
    () => ({ kind: 'agenda' }),
  ),
  readForm(
    `(?:what(?:'s| is| are)?|which|how many|show(?: me)?|list|tell me(?: what is)?|do i have|is|are|any(?:thing)?|give me|see|find|get)?(?: (?:my|the|all|any|of|are|there))*(?: ?(?:open|current|unfinished|pending|outstanding|remaining|overdue|late|missed))*(?: ?(?:${TASK_NOUN}s?|to-?dos?|todos|anything|things?|items|reminders|stuff|work))?(?: (?:that )?(?:is|are|do i have|have i|i have|falls|fall|i missed|were|was|left|still|set|there|on|open|which are))*(?: (?:due|overdue|over due|late|past due|missed|outstanding|pending|open))(?: (?:today|tomorrow|tonight|now|this week|next week|on .+|soon|by .+|the next 7 days|right now|so far))?`,
    toListAll,
  ),
  readForm(
    `(?:show|list|read|tell|give|get|display|see|view|check|find|what are|what're|which are|repeat|recite|go (?:over|through))(?: to)?(?: me)?(?: back)?(?: all| every)?(?: of)?(?: my| the| our)?(?: current| open| overdue| pending| remaining)?(?: (?:tasks?|to-?dos?|reminders?|chores|errands))(?: (?:list|please|i have set(?: up)?|i(?:'ve| have)(?: made| set)?|that are|due|for|today|tomorrow|this week|overdue|set|so far|again|back|open|to me|for me|on my list))*`,
    toListAll,
  ),
  readForm(`${WHETHER}(?:is|are|will|was) (?<about>.+?) (?:be )?${ON} (?:${LIST_NOUN})(?: .*)?`, toListAbout),
  readForm(
    `${WHETHER}(?<about>.+?) (?:is|are|will be|was) ${ON} (?:${LIST_NOUN})(?: .*)?`,
    ({ about: words }, message) =>
      /^(?:what(?:'s|ever)?|which|the things?|everything|all)\b/i.test(words ?? '')
        ? toListTasks(undefined, message)
        : /^(?:${CHECK})?(?:make|put|add)\b/i.test(words ?? '')
          ? null
          : toListTasks(words, message),
  ),
  readForm(
    `check (?:${LIST_NOUN})(?: to see)? (?:for|if|whether) (?<about>.+?)(?: (?:is|are) (?:listed|there|on it|on there))?`,
    toListAbout,
  ),
  readForm(
    `${WHETHER}(?:do|does|did|have|had)(?: i| we| my| the)? (?:already )?(?:have|got|get|put|add|added|include|included|set|jot down|list|write|remember to add|create|request|set up|set aside)?(?: (?:a|any|some) (?:task|item|time|reminder|reminders|things?))? ?(?:to |for |about )?(?<about>.+?) (?:on|to|in|onto) (?:${LIST_NOUN})(?: .*)?`,
    toListAbout,
  ),
  readForm(
    `(?:do|does) (?:${LIST_NOUN}) (?:have|include|contain|list|show) (?<about>.+?)(?: on it| in it)?`,
    toListAbout,
  ),
  readForm(
    `(?:do i have|is there|are there|have i got|have i set|did i (?:set(?: up)?|request|make|create|add|have)|check if i have)(?: already)? (?:a|an|any|the|some) (?:reminders?|tasks?|to-?dos?|todos?)(?: set| on my list)? (?:to|for|about|of|regarding) (?<about>.+?)(?: (?:on|in|to) (?:${LIST_NOUN}))?`,
    toListAbout,
  ),
  readForm(
    `(?:when|at what time|what time|where|how many) (?:is|are|was|will) (?<about>.+?) (?:be )?${ON} (?:${LIST_NOUN})(?: .*)?`,
    toListAbout,
  ),
  readForm(
    `what (?:is|are|was)(?: there)?(?: left)?(?: for me)? to (?:do|be done)${LATER}|what'?s left(?: to do)?${LATER}`,
    toListAll,
  ),
  readForm(
    `what (?:items|tasks?|things?|chores|errands|reminders?|to-?dos)(?: on my list)? (?:do|did|have|am|must|should|are|were) (?:i|there|left|due|the)\\b.*|what (?:tasks|reminders|chores) i(?:'ve| have)\\b.*`,
    toListAll,
  ),
  readForm(
    `(?:know |tell me )?what (?:are |were |is |was )?(?:the |those |all )*(?:items|tasks|things?|chores|errands|reminders) (?:that )?(?:i|for|due|on|left|to)\\b.*(?:to do|to remember|help me remember|today|tomorrow|made|have|had|was|list|${TASK_NOUN}s?|complete|accomplish|remember)\\b.*`,
    toListAll,
  ),
  readForm(
    `.*\\b(?:what|things|something|some things)\\b.*\\bi (?:had )?(?:wanted|want|was (?:trying|supposed)|asked you|told you|need|needed|asked)\\b.{0,20}\\bto (?:help me )?(?:remember|be reminded(?: about| of)?)\\b.*`,
    toListAll,
  ),
  readForm(
    `i (?:wanted|want|was trying) to remember (?:what|some things|something).*|what (?:did|do) i (?:want|ask) to (?:remember|be reminded)\\b.*|remind me (?:of |about )?(?:what|the things|the tasks|my (?:tasks|reminders|list)).*`,
    (_, message) =>
      /(?:remember|reminded|task|reminder|to do|to-do|todo|list)\b/i.test(message.head)
        ? toListTasks(undefined, message)
        : null,
  ),
  readForm(
    `(?:what(?:'s| is| are| were| was| do| does| did| else| things?| items?| tasks?| chores?| reminders?| have)?|which|show|list|tell|read|repeat|recite|state|say|speak|give|get|let|hear|see|view|check|go|walk|iterate|describe|display|bring|pull|open|review|remind|know|how many|are|inform|look|i(?: (?:want|need|would like|wonder))|on|my|the|reminders|run|list|find|count|play|share|explain)\\b.*?\\b(?:${LIST_NOUN})\\b.*`,
    (_, message) => (/\b(?:note|notes|card|cards)\b/i.test(message.head) ? null : toListTasks(undefined, message)),
  ),
  readForm(`(?:${LIST_NOUN})(?: please)?|(?:tasks|reminders|todos|to-?dos)`, toListAll),
])

/**
 * Messages that name the list and fit no other rule: it is shown, which does no harm. Words for changes are excluded.
 */
export const looseTaskForms = firstForm([
  readForm(
    `.*\\b(?:anything|what|things?|something|stuff|everything)\\b.*\\bi(?:'m| am|'ve)? (?:still |also )?(?:need|have|gotta|got|must|should|supposed|have got)(?: left)?(?: to)? (?:do|get done|finish|complete|accomplish)${LATER}`,
    toListAll,
  ),
  readForm(
    `what (?:else |all )?(?:still )?needs? (?:to be done|doing|to get done|to be finished)${LATER}|(?:do i have|have i got|is there|are there) (?:anything|something|stuff|things|any ?thing|more) (?:else )?(?:left )?(?:for me )?to (?:do|complete|finish)${LATER}|what (?:am i|do i gotta|should i be) (?:supposed to )?(?:do|doing)${LATER}`,
    toListAll,
  ),
  readForm(
    `(?!(?:add|put|remove|delete|erase|clear|create|make|set|don'?t|do not|never|not|why|how (?:do|can|should)|who|new|start)\\b).*\\b(?:${STRONG})\\b.*`,
    toListAll,
  ),
  readForm(
    `.*\\b(?:do i have|have i (?:got|set|made)|are there|is there|any|did i (?:set|make|have|add|create|put)|i (?:have|had|set|made|created)|i've (?:set|made|got))\\b.*\\b(?:reminders?|to-? ?dos|todos|tasks)\\b.*`,
    toListAll,
  ),
  readForm(
    `.*\\b(?:reminders?|to-? ?dos|todos|tasks)\\b.*\\b(?:do i have|have i (?:got|set|made)|are there|did i (?:set|make|have|add|create|put)|i (?:have|had|set|made|created)|i've (?:set|made|got))\\b.*`,
    toListAll,
  ),
  readForm(
    `.*\\b(?:remind me|tell me|what|know)\\b.*\\bi (?:was |am |'?m )?(?:had|have|need|needed|want|wanted|supposed|meant|trying|asked|told)\\b.{0,25}\\bto (?:remember|recall|not forget|be reminded)\\b.*`,
    toListAll,
  ),
])
