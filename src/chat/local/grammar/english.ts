// English names of the list of tasks, which are too many to count; without other lists that people keep.
const OTHER =
  '(?!(?:shopping|shop|grocery|groceries|play|song|music|wish|guest|watch|reading|contact|packing|price|mailing|friends?|waiting|black|bucket|off|on|of|from|in|onto|into|out|my|the|and|is|are|for)\\b)'
const WORD = `${OTHER}[\\w'-]+ `
const TODO = "(?:to-? ?do'?s?|todo'?s?)"
const THING = `(?:${TODO}|tasks?|reminders?|chores?|errands?|agenda)`
const OF = `(?:${WORD}){0,3}?(?:${THING}|housework|things (?:that )?(?:i |we )?(?:(?:have|need|want|wanted|asked you) )?to (?:do|remember|accomplish|complete|get done)(?: (?:today|for later))?|(?:\\w+ )?to do|things i have to do(?: today)?)(?: to (?:complete|accomplish|do))?`

/** "my to-do list", "the list of things to do", "my list", "our agenda"; where it is searched begins. */
export const LIST = new RegExp(
  `(?:(?:my|the|our|this|your) )?(?:(?:${WORD}){0,3}?(?:${THING}|to|need to do|things to do) ?-?lists?|(?:${WORD}){0,2}?lists?(?: of| to)? ${OF})\\b|my (?:reminders?|tasks|${TODO}|agenda|chores)\\b|my list(?! of\\b)\\b`,
  'iy',
)

/** English; every class of words has a phrase here or is of another language only. */
export const ENGLISH_WORDS = {
  // Things.
  task: "task|tasks|to-do|to-dos|to do|to dos|to-do's|todo|todos|reminder|reminders|chore|chores|errand|errands|task item|to-do item|todo item|to do item",
  ...{ note: 'note', notes: 'note|notes' },
  ...{ cards: 'card|cards|flashcard|flashcards|flash card|flash cards|flash-card|flash-cards', deck: 'deck' },
  ...{ project: 'project', folder: 'folder', tag: 'tag|label', bin: 'trash|bin' },
  ...{ date: 'date|due date|deadline|time', text: 'text|body|content', title: 'title|name', priority: 'priority' },
  ...{ alert: 'reminder|reminders|alarm|alarms|notification|notifications|alert|alerts', list: '' },
  // Verbs.
  put: 'add|put|place|include|throw|list|enter|stick|insert|append|log|pencil in|tack|slap|pop|toss|drop|squeeze|record|save|store|register|type|get|write|mark|jot|note|write down|mark down|jot down|note down|put down',
  make: 'add|create|make|set|get|give|send|schedule|put|open|enter|establish|have|start|save|place|generate|arrange|program|activate|leave|record|log|take|jot down|write|write down|new|add up|set up|open up|make up|set in|put in|set up with|set me up with',
  set: 'set|set up|make|create|add|new',
  amend: 'change|set|move|make|update|extend|edit|amend|modify|fix|raise|lower',
  ...{ replace: 'replace|swap|change|switch|edit|update|overwrite|rewrite|set', rename: 'rename|retitle', dub: '' },
  trash: 'trash|delete|remove|erase|discard|bin|throw away|cancel|get rid of',
  strike:
    'trash|delete|remove|erase|discard|bin|throw away|cancel|get rid of|get rid off|take|scratch|strike|nix|drop|clear|pull|cut|throw|eliminate|knock|axe|ditch|dump|omit|exclude|wipe|kick|subtract|cross|empty|blank|nuke|reset|purge|clean',
  check: 'check off|tick off|cross off|mark off',
  uncheck: 'uncheck|un-check|uncomplete|un-complete',
  tick: 'check|tick|cross|mark|check off|tick off|cross off|mark off',
  finish: 'complete|finish|close|check off|tick off|cross off|mark off',
  reopen: 'reopen|re-open|uncomplete|un-complete|uncheck|un-check|restart',
  state: 'mark|set|flag|make|give|change|label',
  ...{ move: 'move|reschedule|postpone|push|push back|shift|delay|defer|put off', file: 'move|file|put|add' },
  ...{ labels: 'tag|label|mark', untag: 'untag', restore: 'restore|undelete|recover|bring back' },
  ...{ take: 'take|bring|get', append: 'append|add' },
  begin: 'add|create|make|take|start|save|new|jot down|write|write down|open|record|begin',
  ...{ jot: 'note down|jot down|make a note of|take note of', tell: 'tell me to', bare: '' },
  remind:
    "remind me|be reminded|get reminded|be notified|get notified|let me be reminded|let me get reminded|let me be notified|have to be notified|i have to be notified|i need to be notified|i need to be reminded|i need to get reminded|i want to be reminded|i want to be notified|i want to get reminded|i would like to be reminded|i would like to be notified|i would like to get reminded|do not let me forget|don't let me forget|dont let me forget|never let me forget|make sure i remember|make sure that i remember|make sure i don't forget|make sure that i don't forget|make sure i do not forget|make sure i get reminded|reminder to remind me|a reminder to remind me",
  nudge:
    'notify me|alert me|nudge me|ping me|prompt me|make me remember|make me to remember|help me remember|help me to remember',
  find: 'find|search|show|list|look for|look up|get|give me|display|open|see|show me|search for|search in|search through|find me|do i have|are there|is there|which|what',
  digest: 'summarize|summarise|sum up|recap|outline|tldr|tl;dr',
  sum: 'summarize|summarise|sum up|sum|recap|outline|tldr|tl;dr',
  draft: 'create|make|generate|draft|suggest|extract|build|propose|prepare|write',
  ...{ keep: 'store|save|add|put|keep', turn: 'turn' },
  offer:
    "how about|i need|i want|may i have|can i have|i would like|i'd like|need|have|i need to have|i need to make|i need to set|i'd like to have|to have",
  ...{ memo: 'note|note to self|memo' },
  be: 'be|go|to be|is|are|get|gets|is put|are put|gets put|is added|be put',
  added: 'added|put|placed|included|listed',
  removed: 'removed|taken|taken off|deleted|erased|scratched|scratched off|dropped|cleared|struck',
  checked:
    'crossed off|checked off|ticked off|marked done|marked as done|marked complete|marked as complete|marked as completed|crossed|checked|ticked',
  ...{ made: 'made|set|created|added|set up', must: 'needs to|need to|has to|have to' },
  sure: 'make sure|make sure that|you make sure|you make sure that|sure|leave|set|make',
  want: "i need|i want|i'd like|i would like|get|have|can|could|may|would",
  wish: "i need|i want|i'd like|i would like|get|have|i'd want|i would want",
  unwant: "i no longer need|i don't need|i do not need|i don't want|i do not want|i no longer want",
  // Words between verbs and things.
  det: 'the|my|this|that|a|an|another|our|some|any|all|one|few|of|these|new|recurring|quick|short|repeating|second|special|simple|important|urgent|personal|voice|phone|little|one-time|follow-up|whole|entire|complete',
  ...{ my: 'the|my|this', fresh: 'a|an|another|new' },
  count: 'some|a few|the|any|1|2|3|4|5|6|7|8|9|10|12|15|20|two|three|five|ten',
  often: 'daily|weekly|monthly|yearly',
  named: 'called|named|titled|entitled|to|about|for|of|on|with the title',
  ...{ titled: 'called|named|titled|entitled|with the title', drafts: 'draft|drafts' },
  summary: 'summary|overview|recap|outline|tldr|short summary|brief summary|quick summary|short overview',
  to: 'to|onto|on|in|into|at the end of|as part of|under|as',
  ...{ off: 'off|from|of|off of|out of|on|in|off on|off from|as done on|as done in|out from', of: 'of|for|from' },
  from: 'from|for|about|out of|of|on|based on',
  by: 'with|by|to|into|for|:|to include|to add|to have|by adding|and add|and include',
  ...{ as: 'as|with|with the|as the|to', into: 'to|as|into' },
  onto: 'to|until|till|on|due|for|as|date to|due date to|due to',
  conn: 'to|for|that|about|of|that says|which says|saying|reading|called|named|titled|to remind me to|to remind me about|to remind me of|to remind me that|to remind me|:|,|-',
  telling: 'to|about|that',
  alerting: 'to remind me|to remind me to|to remind me about|to remind me of|to remind me that',
  saying: ':|-|with|saying|and write|that|about|of|to self|,|which says|that says',
  says: ':|saying|that says|which says|with the text|with text|with the body|with body|with the content|with the text:|with content',
  that: 'that',
  about:
    'about|on|for|with|mentioning|that mention|which mention|containing|that contain|tagged|matching|regarding|called|named|titled|mention|contain|are about|talk about|do i have about|do i have on|are there about|are there on',
  ...{ and: 'and', sep: '-|=|:|::|,|->|and|with the answer|with answer|with the back', front: 'q|question|front' },
  back: 'a|answer|back',
  it: 'it|that|this|them|about it|about that|about this|for it|for that|for this|of it|to do it|to do that|all|me',
  ...{ me: 'me|us|for me|for us', down: 'down', returned: 'back' },
  particle: 'off|out|down|back|again|off again|too|anymore|any more|please|completely|clean|up|for me',
  please: '',
  ...{ apart: '', copula: '' },
  dated: 'date|due date|due',
  empty: 'blank|empty|clear|cleared|clean|completely clear|completely blank|completely empty|all clear',
  mark: ',|:|;|-|.|¿|¡|?|!',
  // What divides a command from what is told before it.
  joint: ',|:|;|.|!|so|and|then|please|also|just|kindly|can you|could you|will you|would you|you can',
  // Levels and states of tasks.
  ...{ level: 'urgent|highest|top|critical|high|medium|normal|low|lowest|none|no|0|1|2|3|4', urgent: 'urgent' },
  done: 'done|complete|completed|finished|as done|as complete|as completed|as finished|to done',
  undone:
    'not done|undone|open|not complete|incomplete|unfinished|as not done|as undone|as open|as not complete|as incomplete|as unfinished|to open|as not done again|as incomplete again|not done again',
  p1: 'highest priority|highest-priority|top priority|top-priority|urgent priority|priority 1|urgent',
  p2: 'high priority|high-priority|priority 2',
  p3: 'medium priority|normal priority|medium-priority|priority 3',
  ...{ p4: 'low priority|low-priority|priority 4|lowest priority', p0: 'no priority|without priority|priority 0' },
  finished: 'completed|complete|finished|done|accomplished|ticked off|checked off',
  overdue: 'overdue|over due|late|past due|missed',
  undated: 'undated|without a due date|without a date|without due date|without date|with no due date|with no date',
  ...{ recurring: 'recurring|repeating', blocked: 'blocked', in_progress: 'in progress|started' },
  cancelled: 'cancelled|canceled',
  // Words that ask, and what tells that nothing is to be done.
  ...{ ask: 'what|who|whom|whose|where|why|how|which|if|whether|when', subject: '', refuse: '' },
  shows: 'show|list|display|give|tell|see|find|check|read|view|go through|go over|repeat|recite|what are',
  owns: "do i have|have i got|have i set|have i set up|do i still have|i have|left|open|outstanding|pending|unfinished|remaining|current|my|that are open|did i set|have i made|i've set|i have set|have i",
  fill: "what's|whats|what|which|me|us|do|does|did|have|has|had|i|we|got|are|is|was|were|be|been|there|anything|everything|every|in|on|that|with|and|so far|right now|currently|in total|altogether|please|thing|things|item|items|to|for|back|again|of|now|look|like|looking|going|still|set|i missed|falls|fall|by|at|over|within|during|from",
  howmany: 'how many|how much|number of|count|count of',
  agenda:
    'agenda|on my plate|up next|coming up|my schedule|my day|briefing|daily brief|daily briefing|happening|what do i have on|what do i have for|what have i got on',
  changes:
    "what changed|what has changed|what have i changed|what all changed|what did i change|what did i edit|what is new|what's new|recent changes|latest changes|last changes|changes",
  deleted: 'deleted|trashed|did i delete|have i deleted|did i trash|have i trashed|recycle bin',
  clock:
    "what time is it|what day is it|what date is it|what weekday is it|what day of the week is it|what month is it|what year is it|what is the time|what's the time|what is the date|what's the date|what is the current time|what is the current date|what is today's date|what's today's date|today's date|tell me the time|tell me the date|what is today|what's today|the time|the date|current time|current date|the time and date|the date and time|the day of the week|what is the day|what's the day|the current time|the current date|time please|date please",
  study: 'to review|to study|to learn|waiting|for review',
  // Talk.
  hello:
    "hi|hello|hey|hiya|howdy|yo|greetings|good morning|good afternoon|good evening|good day|what's up|whats up|how are you|how are you doing|how do you do|there",
  ...{ greeted: 'there|satchel|again|you|today', thanked: 'so much|very much|a lot|satchel|you|then|bye|job' },
  thank:
    'thanks|thank you|thx|cheers|great|perfect|nice|goodbye|good bye|good night|bye|bye bye|ok|okay|cool|awesome|got it|well done',
  help: "help|help me|commands|command|usage|menu|the help|the commands|your commands|your features|your skills|all commands|who are you|what are you|what exactly are you|what's your name|what is your name",
  ...{ which: 'what|which', can: 'can|could|do|are|should|may', able: 'able to|able|know how to|know how|to' },
  kinds:
    'all|else|thing|things|kind of things|kinds of things|sort of things|sorts of things|questions|commands|tasks|kind of questions|kinds of questions',
  ...{
    youall: 'you|i|we|this|it|i use you|i use this',
    helping: 'do|ask|say|help|answer|use|tell|understand|give|perform|type',
  },
  ...{ aspect: 'you|me|with|for|about|here|of|to do|from', model: 'model|engine|ai|llm' },
  ...{
    areyou: 'are you|is this|do you use',
    are: 'are you|are you a|are you an|are you really|are you really a|are you actually|are you actually a',
  },
  ...{ bot: 'bot|robot|human|person|ai|llm|language model|computer|machine|gpt|chatgpt|real|model' },
  ...{ areyour: 'are your|are you', talents: 'capabilities|skills|features|functions|able to do|capable of' },
  ...{ howdo: 'how do|how can|how does', work: 'work|help|help me' },
  reason:
    'translate|rewrite|rephrase|paraphrase|proofread|proof-read|brainstorm|calculate|compute|solve|prove|imagine|pretend|act as|roleplay|role-play|invent|compose|ghostwrite|debate|argue|improve|shorten|expand|simplify',
  howsay: 'how do you say|how do i say|how do we say|how would you say|how would i say|how can i say',
  ...{ say: 'say', tongue: 'french|german|spanish|italian|japanese|chinese|english|latin|portuguese|russian' },
  ...{ howis: 'how is', said: 'said', whatis: "what's|what is" },
  compose: 'write|compose|draft|generate|make up|create|make|tell|give|sing|come up with',
  texts:
    'poem|poems|essay|essays|story|stories|email|emails|e-mail|e-mails|letter|letters|song|songs|joke|jokes|haiku|haikus|limerick|limericks|sonnet|sonnets|speech|speeches|toast|toasts|blog post|blog posts|post|posts|article|articles|code|script|scripts|function|functions|program|programs|tweet|tweets|caption|captions|slogan|slogans|paragraph|paragraphs|sentence|sentences|dialogue|dialogues|resume|resumes|cv|cvs|report|reports|press release|press releases|riddle|riddles|recipe|recipes|message|messages|reply|replies|response|responses|proposal|proposals|outline|outlines|query|queries|regex',
  topic: "about|for|to|in|that|that's|of|on|with|from|explaining|describing|which|apologizing|apologising|saying",
  // What a question can be narrowed to.
  labelled:
    'labelled|labeled|tagged|labelled as|tagged as|labelled with|labeled with|tagged with|with the label|with the tag|with label|with tag|having the tag|having the label|have the tag|have the label|by tag|by label',
  inproject:
    'in project|in the project|in my project|of the project|from the project|for the project|of project|in the project called|in the project named',
  infolder:
    'in folder|in the folder|in my folder|of the folder|from the folder|under the folder|in the folder called|in the folder named',
  indeck: 'in the deck|in deck|of the deck|from the deck|in my deck|in the deck called|in the deck named',
  ...{ inside: 'in|of|from|for|under', created: 'created|added|made|written|taken|wrote|write|take' },
  ...{ updated: 'updated|changed|edited|modified|change|edit', due: 'due|scheduled|planned|coming due' },
  ...{ latest: 'latest|newest|most recent|recent|last notes|last note', newest: 'last|latest|newest|most recent' },
  // Dates.
  day: 'today|tonight|tomorrow|yesterday|day|days|week|weeks|month|months|quarter|year|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mon|tue|tues|wed|thu|thurs|fri|sat|sun',
  ...{ dated_: 'this|next|last|past|coming|previous|current|the|of|ago|after|before', today: 'today|tonight' },
  ...{ tomorrow: 'tomorrow', week: 'this week|the week', before: 'before', until: 'until|till|by|within' },
  ...{ after: 'after', since: 'since' },
}

/** What a word may be in a sentence. */
export type WordClass = keyof typeof ENGLISH_WORDS

/** The words of a language by what they may be; phrases are divided by `|`. What it has no words for cannot be said in it. */
export type CommandWords = Readonly<Partial<Record<WordClass, string>>>
