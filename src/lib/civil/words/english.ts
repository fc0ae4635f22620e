import { entriesOfKinds, tens, type Words, type WordTable } from './lexicon'

const ONES = 'one two three four five six seven eight nine'

const WORDS: Words = {
  weekday: `0=monday; tuesday|tues|tues.|tue|tue.; wednesday|weds|weds.; thursday|thurs|thurs.|thur|thur.|thu|thu.;
    friday|fri|fri.; saturday; sunday`,
  shaky: '0=mon|mon.; 2=wed|wed.; 5=sat|sat.; sun|sun.',
  weekdays: '0=mondays|mons; tuesdays; wednesdays; thursdays; fridays; saturdays; sundays',
  day_code: '0=mo|m; tu|t; we|w; th; fr|f; sa; su',
  month: `january|jan|jan.; february|feb|feb.; march|mar|mar.; april|apr|apr.; may; june|jun|jun.; july|jul|jul.;
    august|aug|aug.; september|sept|sept.|sep|sep.; october|oct|oct.; november|nov|nov.; december|dec|dec.`,
  unit: `second=seconds|secs; minute=minute|minutes|min|mins|m|minute's time|minutes' time|minutes time; hour=hour|
    hours|hr|hrs|h|hour's time|hours' time|hours time; day=day|days|d|day's time|days' time|days time; week=week|weeks|
    wk|wks|w|week's time|weeks' time|weeks time; fortnight=fortnight|fortnights; month=month|months|mo|mos|mth|mths|
    month's time|months' time|months time; quarter=quarter|quarters; year=year|years|yr|yrs|y|year's time|years' time|
    years time; workday=weekday|workday|workdays|work day|work days|business day|business days|working day|
    working days|week day|week days|week-day|work-day|weekdays|businessday; weekend=weekend|week-end; weekends=weekends`,
  number: `0.25=quarter of an|a quarter of an|quarter of a|a quarter of a|1/4; 0.5=half an|half a|half|a half|1/2|½;
    0.75=three quarters of an|three quarters of a|three-quarters of an|three-quarters of a|3/4; 1=a|an|one|a single;
    two|couple|couple of|a couple of|a couple; three; four; five; six; seven; eight; nine; ten; eleven; twelve|dozen|
    a dozen; thirteen; fourteen; fifteen; sixteen; seventeen; eighteen; nineteen; 1.5=one and a half`,
  ordinal: `first; second; third; fourth; fifth; sixth; seventh; eighth; ninth; tenth; eleventh; twelfth; thirteenth;
    fourteenth; fifteenth; sixteenth; seventeenth; eighteenth; nineteenth; twentieth; twenty-first|twenty first;
    twenty-second|twenty second; twenty-third|twenty third; twenty-fourth|twenty fourth; twenty-fifth|twenty fifth;
    twenty-sixth|twenty sixth; twenty-seventh|twenty seventh; twenty-eighth|twenty eighth; twenty-ninth|twenty ninth;
    thirtieth; thirty-first|thirty first; -1=last|final; -2=second to last|second last|next to last|penultimate`,
  from_end: 'last|to last|from last|from the end',
  suffix: 'st|nd|rd|th',
  day: `0=today|later today; tomorrow|tmr|tmrw|tomorow|tommorow|tommorrow|2moro; day after tomorrow|
    the day after tomorrow|overmorrow; -1=yesterday|last night; -2=day before yesterday|the day before yesterday`,
  shaky_day: '0=tod; tom',
  parts: '540=mornings; 900=afternoons; 1140=evenings; 1260=nights',
  first_thing: 'first thing|first thing on',
  part: `540=morning|morn|first thing|first thing in the morning; 420=early morning|early am; 600=midmorning|
    mid-morning|mid morning; 660=late morning; 720=lunchtime|lunch time|lunch-time; 930=midafternoon|mid-afternoon|
    mid afternoon; 780=early afternoon; 1080=early evening; 900=afternoon; 1020=late afternoon; 1140=evening|eve;
    1260=night|late evening`,
  today_part: '1260=tonight|tonite',
  part_lead: '2=in the; 1=at',
  clock: '720=noon|midday|12 noon; 0=midnight|12 midnight',
  half: '0=am|a.m.|a.m|a m|a. m.; 12=pm|p.m.|p.m|p m|p. m.',
  oclock: "o'clock|o clock|oclock",
  past_hour: '30=and a half',
  to_hour: '30=half past|half; 15=quarter past|a quarter past; -15=quarter to|a quarter to',
  minutes_to: 'minutes past|minute past|min past|mins past|past; -1=minutes to|minute to|min to|mins to',
  zone_tail: 'time',
  at: '2=at|@',
  next: 'next|nxt',
  after_next: 'after next',
  coming: 'coming|this coming|upcoming|this upcoming',
  this: 'this|current|the current|over the|during the',
  past: 'last|past|previous|gone',
  article: 'the|all',
  of: 'of; in',
  in: 'in|within',
  from_now: 'from now|hence|later',
  ago: 'ago',
  by: `on|by|before|for|all day|all day on|at the latest|no later than|not later than|by no later than|
    at the latest by|at the latest on`,
  tail: 'at the latest|all day|whole day|the whole day',
  time_tail: 'sharp|on the dot|approximately|or so|local time',
  moving: 'move|reschedule|postpone|push|change|shift|delay|moved|changed',
  on: 'on|on day|on the day',
  due: 'due|is due|are due',
  version: 'version|ver|ver.|v|v.|release|build|chapter|page|part|room|episode|season',
  until: 'until|till|til|thru|ending|through|ending on|up to|up until',
  starting: 'commencing|starting|beginning|starting on|starting from|beginning on|start|begin|as of',
  from: 'from',
  to: 'to|until|till|through|thru',
  and: 'and|and the',
  or: 'or',
  between: 'between',
  after: 'after',
  before: 'before|earlier|beforehand|in advance|preceding|prior to',
  for: 'for|for the next|for the following|over the next|during the next',
  every: 'every|each|ev|every single|each and every|on every|on each|once every|once each|one time every',
  other: '2=other|second',
  alternate: 'alternate|alternating|alternately',
  adverb: `DAILY 1=daily|everyday|once a day|once daily; WEEKLY 1=weekly|once a week; WEEKLY 2=fortnightly|
    once a fortnight; MONTHLY 1=monthly|once a month; MONTHLY 3=quarterly|once a quarter; MONTHLY 6=half-yearly|
    half yearly|semiannually|semi-annually; YEARLY 2=biennially; YEARLY 1=yearly|annually|once a year; HOURLY 1=hourly;
    SEVERAL=biweekly|bi-weekly|biannually|bi-annually|biannual|bimonthly|bi-monthly|semiweekly|semimonthly|
    semi-monthly|nightly; WEEKDAYS 1=weekdays|workdays|on weekdays|on workdays; WEEKENDS 1=weekends|on weekends`,
  after_completion: 'after completion|after completing|after completing it|when done|from completion',
  often: 'twice|thrice|several times|many times',
  same_time: 'same time|the same time|this time|at the same time|same day|the same day',
  not: 'not|never',
  around: 'around|approx|approx.|approximately|circa|~|at around|at about|at approximately|at approx; about',
  near: `closest|nearest|just before|just after|shortly before|no earlier than|at the earliest|earliest|w/c|following|now and then|
    in the mornings|in the evenings|noonish|oneish|twoish|threeish|fourish|fiveish|sixish|sevenish|eightish|nineish|tenish|elevenish|
    twelveish|midnightish`,
  loosely: 'sometime|overnight|roughly|during the day|afternoonish|late|early|last thing|or so',
  some: 'a few|few|several|some|many|hundred|a hundred|thousand|a thousand',
  sometime: 'sometime|some time|anytime|any time|any|most|some|any day|some day',
  ish: 'ish',
  per: 'a|an|per|each|every',
  if: 'if|unless|whether|in case; 0=if possible|if needed|if necessary',
  times: 'times|occurrences|x',
  remind_to: 'remind me to|reminder to|remind me about|remind us to',
  remind_what: 'to|about|that',
  remind: 'remind|remind me|reminder|alert|alert me|with a reminder|with reminder|with an alert',
  end: 'end of|the end of|at the end of|last day of|the last day of',
  late: 'late|late in|middle',
  middle: 'mid|middle of|the middle of|in the middle of',
  begin: `start of|beginning of|the start of|the beginning of|at the start of|at the beginning of|first day of|
    the first day of|early`,
  end_unit: `day=eod|end of day|end of the day|the end of the day|the end of day|close of business|cob|end of business|
    close of play; week=eow; month=eom|month end|month-end; quarter=eoq|quarter end|quarter-end; year=eoy|year end|
    year-end`,
  unit_end: 'end',
  quarter_number: 'q',
  holiday: `1224=xmas eve|christmas eve; christmas|xmas|christmas day; boxing day; 1231=new year's eve|new years eve;
    101=new year's|new year|new years|new year's day|new years day; 214=valentine's|valentines|valentine's day|
    valentines day; 1031=halloween`,
  name: `black|good|ash|cyber|easter|palm|casual|freaky|giving|fat|shrove|maundy|ruby|bloody|manic|taco|super|blue|
    holy|whit|trinity|mothering|given|gloomy|girl|lazy|stormy|throwback|mr|mr.|mrs|mrs.|ms|ms.|dr|dr.|miss|aunt|uncle`,
  with: 'with|call|ask|tell|meet|email|text|see',
  correction: 'no wait|wait no|no, wait|scratch that|i mean|or rather|make that|make it',
  proper: 'good morning|good afternoon|good evening|good night',
  not_due: 'since|than|every other|these|those|that|was|were',
  except: 'except|excluding|unless|but|except for|except on|but not|apart from|other than',
  no_day: 'the|a|an|my|our|his|her|their|your|in|under|i|we|he|she|they|you|who|that|morning|evening',
  vague: `sow|som|soq|soy|eonw|eonm|sonw|sonm|summer|winter|spring|autumn|ramadan|semester|
    lunch|dinner|breakfast|sunset|sunrise|dawn|dusk|bed|bedtime|lunchtime|dinnertime`,
  feast: "easter|thanksgiving|labor day|labour day|memorial day|mother's day|father's day|pancake day",
  occasion: 'leap year|full moon|new moon|payday|birthday|holiday',
  unit_of: "month=month's; week=week's; year=year's",
}

export const ENGLISH: WordTable = {
  capitals: false,
  capitalWeekdays: true,
  clock24: false,
  dateOrder: null,
  nextIsNextWeek: true,
  dotOrdinals: false,
  articleDays: false,
  entries: [
    ...entriesOfKinds(WORDS),
    ...tens('twenty thirty forty fifty', ONES, (ten, one) => `${ten}-${one}|${ten} ${one}`),
  ],
}
