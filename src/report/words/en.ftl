# The report's words. Both languages have the same keys and arguments; a test holds that.

brand = Sunup
separator = {", "}
colon = {": "}
beside = { $words } ({ $word })
long-date = { $weekday }, { $day } { $month }
weekday-1 = Monday
weekday-2 = Tuesday
weekday-3 = Wednesday
weekday-4 = Thursday
weekday-5 = Friday
weekday-6 = Saturday
weekday-7 = Sunday
month-1 = January
month-2 = February
month-3 = March
month-4 = April
month-5 = May
month-6 = June
month-7 = July
month-8 = August
month-9 = September
month-10 = October
month-11 = November
month-12 = December
follow-up = follow-up { $number }

## Subject

subject = Sunup { $date }: { $summary }
subject-follow-up = Sunup { $date }, follow-up { $number }: { $summary }
subject-needs-you = Needs you: { $what } · { $subject }
subject-and-more = { $what } and { $count } more
subject-rehearsal = [Rehearsal] { $subject }

## First screen

headline-all-done = All done
headline-needs-you = { $count ->
    [one] One thing needs you
   *[other] { $count } things need you
}
headline-none-done = Nothing got done
headline-nothing-ran = Nothing ran
headline-nothing-to-do = Nothing to do today
headline-some-failed = { $count ->
    [one] One task failed
   *[other] { $count } tasks failed
}
headline-some-unproved = { $count ->
    [one] One task is not proved yet
   *[other] { $count } tasks are not proved yet
}
headline-some-not-run = { $count ->
    [one] One task has not run
   *[other] { $count } tasks have not run
}
needs-you-count = { $count ->
    [one] 1 thing needs you
   *[other] { $count } things need you
}
needs-you-none = nothing
count-alerts = { $count ->
    [one] 1 fault of this machine
   *[other] { $count } faults of this machine
}
count-done = { $count } done
count-failed = { $count } failed
count-unproved = { $count } not proved yet
count-not-run = { $count } not run
count-nothing-to-do = { $count } with nothing to do today
nothing-ran = nothing ran
points-gained = { $amount } points
points-gained-unknown = points unknown
points-gained-at = { $site } { $points }
stat-done = Done
stat-done-of = { $done } / { $total }
stat-points = Points today
stat-points-none = no record
stat-needs-you = Needs you

## Rehearsal

rehearsal = This is a rehearsal
rehearsal-said = No real site was touched: everything below happened on rehearsal pages.
rehearsal-scenario = Scenario: { $scenario }
rehearsal-refused = The browser also asked for these hosts and was refused: { $hosts }

## Sections

section-alerts = This machine
section-needs-you = Needs you
section-failed = Failed
section-unproved = Not proved yet
section-did-not-run = Did not run
section-done = Done
section-points = Points
section-next = Next

## One task

ticket-number = Ticket { $number }
ticket-asks = Yours to do
ticket-since = since { $time }
ticket-page = Page: { $page }
ticket-closed = closed { $time } by { $by }
page-titled = { $page } (“{ $title }”)
ticket-rule = Rule: { $rule }
ticket-reopened = { $count ->
    [one] closed once, and the same came again
   *[other] closed { $count } times, and the same came again
}
ticket-waiting = Waiting for it: { $tasks }
picture = Picture: { $picture }
command = Command: { $command }
command-then = Then: { $command }
what-to-do = What to do: { $text }
what-happened = Why: { $text }
stuck-step = Stuck at: { $step }
candidates = Nearest: { $candidates }
failure-page = Page: { $page }
attempts = { $count ->
    [one] tried once
   *[other] tried { $count } times
}
again-at = again at { $time }
read-again-at = read again at { $time }
acted-at = acted { $time }
verified-at = proved { $time }
evidence = Evidence: { $text }
late = { $duration } late
notice = Note: { $text }
drift = The page has changed; found another way: { $text }
period = period { $period }
changed = changed
minutes = { $count } min
hours = { $count } h
hours-minutes = { $hours } h { $minutes } min

## Points

points-earned = Earned
points-spent = Spent
points-balance = Balance
points-unknown = unknown
points-nothing = The server lists nothing for today
points-incomplete = The list was not read to its end, so the sums are the least: { $reason }
points-unread = The list could not be read, so the points are unknown: { $reason }
points-unreadable = unreadable: { $raw }
points-unreadable-count = { $count ->
    [one] One row is unreadable, and not in the sum
   *[other] { $count } rows are unreadable, and not in the sum
}
points-rounded = rounded
points-gap = The balance does not fit: from { $before } to { $now }, the rows make { $rows }, a gap of { $gap }
points-credited = { $count ->
    [one] 1 expected row is there
   *[other] { $count } expected rows are there
}
points-differs = { $task }: { $expected } expected, { $credited } credited
points-missing = { $task }: { $expected } expected, no such row
points-not-known = { $task }: { $expected } expected, not known whether credited
sum-exact = { $amount }
sum-partial = at least { $amount }
sum-rounded = about { $amount }
sum-partial-rounded = at least about { $amount }
row-new = new

footer-window = Covers { $from } to { $to }
footer-made = Made { $time } · zone { $zone }
footer-promise = “Done” was read back from the server; points are the server's own rows.

## Mails of their own

notice-remind = Not done at { $time }: { $what }
notice-alarm = Alarm: { $what }
notice-dead = Gave up: { $what }
notice-skip = Left out: { $what }
notice-of = { $name }: { $what }
notice-alarm-no_success = nothing proved for long
notice-alarm-missed = its window was missed
notice-alarm-no_rows = no new points
notice-remind-said = Where a window is still open, Sunup goes on by itself; what is urgent you can do yourself.
notice-alarm-said = Told once, when it begins; `sunup status` shows it until it is over.
notice-dead-said = Sunup does nothing more about it by itself. `sunup dead` shows it; with `retry KEY` it goes on, with `acknowledge KEY` you take note of it.
notice-skip-said = Nothing more is tried in this period.
section-not-done = Not done yet

## Statuses

status-pending = not started
status-running = at work
status-success = done
status-already_done = was done already
status-compensated = made up
status-skipped = left out
status-failed = will try again
status-unconfirmed = not proved yet
status-blocked = waits for you
status-dead = gave up

## Why something did not run

days-in-a-row = { $first } … { $last }, { $count } days
periods-in-a-row = { $first } … { $last }, { $count } periods

reason-not_due = not due yet
reason-window_closed = today's window is over
reason-period_over = the period is over
reason-holiday = a day off
reason-not_workday = not a workday
reason-not_ready = a requirement does not hold yet
reason-requirement_ended = a task it requires was not done
reason-already_done = done already
reason-closed = ended as not done
reason-refused = the site refused it
reason-renamed = it has another name now
reason-run_over = the run's time was over
reason-in_flight = under way
reason-waiting_for_evidence = waits for evidence
reason-ticket = a ticket is open
reason-suspended = on hold
reason-cooling_down = the site asked to wait
reason-locked = another process is at it
reason-missed = its time passed
reason-first_start = its first start waits for the next slot
reason-skip = nothing to do
reason-later = not open yet
reason-ledger_lost = the ledger lost lines, so it is read twice before it is done

## Lines that the ledger lost

loss-damaged = On { $time } the ledger was found damaged. It is kept as { $kept }, and a new one was begun
loss-gone = On { $time } the ledger was gone, and a new one was begun
loss-older_copy = On { $time } the ledger turned out to be an older copy, which ends at { $known }
loss-another = On { $time } another ledger lay here than the one that worked here last; it ends at { $known }
alarm-no_success = { $name } ({ $account }): nothing was proved since { $time }, which is more than twice its interval
alarm-missed = { $name } ({ $account }): its window was missed, as was found at { $time }, and nothing was proved since
alarm-no_rows = { $name } ({ $account }): the points were read since { $time } without a fault, and no row was new: the sign-in or the rules may be stale
dead-letters = { $count ->
    [one] 1 dead letter of an earlier day waits for you: `sunup dead`
   *[other] { $count } dead letters of earlier days wait for you: `sunup dead`
}
dead-letters-again = { $count ->
    [one] 1 dead letter of an earlier day waits for you, and can go on: `sunup dead`
   *[other] { $count } dead letters of earlier days wait for you, { $again } of them can go on: `sunup dead`
}
loss-nothing = no time on record
loss-and-so = { $what }. What began before that may be done already: it is acted on only after the site has said “to do” twice, a settle time apart; what is done once for ever waits for your word

## Calendars of holidays

calendar-broken = The calendar { $calendar } ({ $file }) cannot be used: { $why }. The last good copy of it is used instead; mend the file
calendar-uncovered = The calendar { $calendar } ({ $file }) does not cover { $year }: in that year only weekends count as days off, and no make-up workday is known. Put a newer file there

## Kinds of failure

kind-not_rendered = the page did not show
kind-timeout = timed out
kind-network = no network
kind-server_error = the site failed
kind-browser_crashed = the browser crashed
kind-rate_limited = the site asks to slow down
kind-maintenance = site under maintenance
kind-session_expired = signed out
kind-page_changed = the page has changed
kind-no_effect = no effect on the server
kind-login = sign-in needed
kind-captcha = human check
kind-interstitial = interception page
kind-one_time_code = one-time code
kind-qr_login = sign-in by QR code
kind-identity = identity check
kind-consent = consent asked
kind-terms = new terms
kind-password_change = password change demanded
kind-account_restricted = account restricted
kind-access_denied = access denied
kind-suspicious_page = suspicious page
kind-credentials_rejected = wrong user name or password
kind-environment = fault of this machine

advice-page_changed = Look at what the page has become, then mend the locators in the task file.
advice-no_effect = Look on the site whether it really was not done, then decide whether to do it again.
advice-login = Please sign in to the site yourself once.
advice-captcha = Please open the site yourself and pass its human check.
advice-interstitial = Please open the site yourself and read what the page says; it is left alone until then.
advice-one_time_code = Please sign in yourself with the code that the site sends you.
advice-qr_login = Please sign in yourself by scanning the code with your phone.
advice-identity = Please sign in yourself and pass the identity check.
advice-consent = Please read what it wants to hand to whom, then decide yourself.
advice-terms = Please read the new terms, then decide yourself.
advice-password_change = Please sign in yourself, change the password, and update the stored one.
advice-account_restricted = Please sign in yourself and see why the account is restricted.
advice-access_denied = The site refused this machine. Please look at it yourself after a while; it is left alone until then.
advice-suspicious_page = The page asks for what this site should not ask for. Check the address first; do not hurry to type a password.
advice-credentials_rejected = Please correct the stored user name or password; nothing is tried until then, so that the account is not locked.
advice-environment = Mend this machine first; the tasks try again by themselves inside their window.

## Command line

cli-valid = The files are good: { $sites ->
    [one] 1 site
   *[other] { $sites } sites
}, { $tasks ->
    [one] 1 task
   *[other] { $tasks } tasks
}.
cli-owner = { $site }: automated on the word of { $owner }
cli-next-run = next run
cli-task = task
cli-key = key
cli-dead-none = No dead letters.
cli-dead-what-now = `sunup dead retry KEY` orders one to go on: it is read again, and done again only if the site says that it is to do. `sunup dead acknowledge KEY` takes note of it.
cli-dead-acknowledged = { $key }: noted, and not told of any more.
cli-dead-ordered = { $key }: goes on with the next run.
cli-account = account
cli-status = status
cli-when = when
cli-why = why
cli-again = again at { $time }
cli-nothing-yet = Nothing on record yet: nothing ever ran with this data folder.
cli-nothing-due = Nothing is due now.
cli-other-at-work = Another run is at work on { $lane } ({ $holder }); this one left that to it, and the report as well.
cli-nothing-left = Everything was done before: nothing was done now, and no browser was started.
cli-no-report = Nothing is on record for { $date }.
cli-ticket = Ticket #{ $number }, { $site } ({ $account }): { $reason }
cli-day = day
cli-history-none = Nothing is on record since { $date }.
cli-stopping = Stopping: nothing new is begun, and the next run goes on. A second signal ends it at once.
cli-undelivered = The mail to { $to } was not delivered ({ $state ->
    [queued] it will be tried again
    [uncertain] it may have arrived
   *[failed] refused for good
}): { $reason }
cli-mail-folder = The report lies in { $folder }
cli-browser-starts = a browser starts for { $lane }
cli-service-crontab = For `crontab -e`; mails what goes wrong, if this machine can send mail:
cli-service-file = { $file }
cli-service-then = Put each part into the file that is named above it, then:
cli-waiting = waiting until { $time }

## `explain`

explain-title = { $name } ({ $task }, { $account })
explain-nothing = It has no slot today, and never had one on record
explain-no-status = nothing on record yet
explain-state = State: { $status }{ $reason }
explain-decision = Last decision: { $answer } ({ $source }; { $count } times in a row, last at { $time })
explain-now = Run now? { $answer }
explain-yes = yes
explain-required = Requires { $name }: { $state }
explain-met = it holds
explain-not_ready = not ready
explain-ended = it will not hold any more
explain-ready = It usually holds { $p80 } minutes after the slot (p80), { $p99 } minutes at the latest (p99); seen on { $days } days
explain-key = Key: { $key }, from { $from } until { $until }
explain-at-work = At work in its lane: { $holder }
explain-nobody = Nobody is at work in its lane
explain-attempt = Attempt { $number } is under way since { $time } ({ $source })
explain-log = What happened to it last:
explain-next = Next slot: { $time }
explain-slot = slot
explain-until = until
explain-note = note
slot-skipped = { $time } does not exist that day: { $shown }
slot-twice = { $time } comes twice that day: the earlier one
slot-holiday = holiday: skipped ({ $title })
slot-not-workday = not a workday: skipped
slot-moved = holiday: moved to { $date }
slot-instead = instead of { $date }, a holiday
source-schedule = by schedule
source-hand = by hand
source-retry = a retry

## Signing in

session-since = signed in since { $time }
session-until = expected until { $time }
session-ends-soon = sign in again soon, with `sunup sign-in`
sign-in-opened = a window is open at { $page }: sign in to { $site } there, as { $account }. Nothing is typed or clicked for you.
sign-in-looks = whether you are through is looked at every few seconds, without touching the page, for { $minutes } minutes. Enter looks at once; Ctrl+C ends it.
sign-in-enter = press Enter here when you are through, within { $minutes } minutes. Ctrl+C ends it.
sign-in-not-yet = nobody is signed in yet.
sign-in-unclear = whether you are signed in cannot be told yet: { $why }
sign-in-somebody-else = { $why }. This session is not kept: sign out in the window, and sign in to this account.
sign-in-kept = { $site } · { $account }: signed in; the session is kept for the mornings.
sign-in-closed = Ticket #{ $number } is closed.
sign-in-locked = a run is at work in this account ({ $holder }): try again when it is done.
sign-in-over-time = nobody was signed in within this time; what you did in the window is kept, and nothing else changed.
sign-in-window-closed = the window was closed before the site said that this account is signed in.
sign-in-stopped = ended; nothing changed but what you did in the window.
sign-in-no-screen = there is no screen here (neither $DISPLAY nor $WAYLAND_DISPLAY is set). On a server: `ssh -X`, or a screen of its own that you look at through an ssh tunnel; docs/sign-in.md has the commands.
