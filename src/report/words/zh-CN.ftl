# 晨报的用词。两种语言的键和参数必须一致，由测试保证。

brand = 晨报
separator = ，
colon = ：
beside = { $words }（{ $word }）
long-date = { $month }{ $day }日 { $weekday }
weekday-1 = 星期一
weekday-2 = 星期二
weekday-3 = 星期三
weekday-4 = 星期四
weekday-5 = 星期五
weekday-6 = 星期六
weekday-7 = 星期日
month-1 = 1月
month-2 = 2月
month-3 = 3月
month-4 = 4月
month-5 = 5月
month-6 = 6月
month-7 = 7月
month-8 = 8月
month-9 = 9月
month-10 = 10月
month-11 = 11月
month-12 = 12月
follow-up = 补充第 { $number } 封

## 标题

subject = 晨报 { $date }：{ $summary }
subject-follow-up = 晨报 { $date } 补充 { $number }：{ $summary }
subject-needs-you = 需要你：{ $what } · { $subject }
subject-and-more = { $what }，还有 { $count } 件
subject-rehearsal = 【彩排】{ $subject }

## 第一屏

headline-all-done = 都完成了
headline-needs-you = { $count } 件事需要你
headline-none-done = 一项都没有完成
headline-nothing-ran = 什么都没有运行
headline-nothing-to-do = 今天没有要做的事
headline-some-failed = { $count } 项没有成功
headline-some-unproved = { $count } 项还没有证实
headline-some-not-run = { $count } 项还没有做
needs-you-count = { $count } 件事需要你
needs-you-none = 没有
count-alerts = 这台机器有 { $count } 个问题
count-done = { $count } 项完成
count-failed = { $count } 项没成功
count-unproved = { $count } 项还没证实
count-not-run = { $count } 项还没做
count-nothing-to-do = { $count } 项今天不用做
nothing-ran = 什么都没有运行
points-gained = { $amount } 积分
points-gained-unknown = 积分未知
points-gained-at = { $site } { $points }
stat-done = 完成
stat-done-of = { $done } / { $total }
stat-points = 今日积分
stat-points-none = 没有记录
stat-needs-you = 需要你

## 彩排

rehearsal = 这是一次彩排
rehearsal-said = 没有碰到任何真实的站点，下面的一切都发生在演练页面上。
rehearsal-scenario = 情景：{ $scenario }
rehearsal-refused = 浏览器还想访问这些主机，已拒绝：{ $hosts }

## 各部分

section-alerts = 这台机器
section-needs-you = 需要你
section-failed = 没有成功
section-unproved = 还没有证实
section-did-not-run = 没有运行
section-done = 完成
section-points = 积分
section-next = 接下来

## 一项任务

ticket-number = 工单 { $number }
ticket-asks = 等你来做
ticket-since = { $time } 起
ticket-page = 页面：{ $page }
ticket-closed = { $time } 关闭（{ $by }）
page-titled = { $page }（“{ $title }”）
ticket-rule = 规则：{ $rule }
ticket-reopened = 关闭过 { $count } 次，同样的情况又出现了
ticket-waiting = 在等它的任务：{ $tasks }
picture = 截图：{ $picture }
command = 命令：{ $command }
command-then = 然后：{ $command }
what-to-do = 怎么办：{ $text }
what-happened = 原因：{ $text }
stuck-step = 卡在：{ $step }
candidates = 最接近的：{ $candidates }
failure-page = 页面：{ $page }
attempts = 试了 { $count } 次
again-at = { $time } 再试
read-again-at = { $time } 再去核对
acted-at = { $time } 做了
verified-at = { $time } 核实
evidence = 证据：{ $text }
late = 比预定晚 { $duration }
notice = 留意：{ $text }
drift = 页面有变动，改用了另一种找法：{ $text }
period = 周期 { $period }
changed = 有变化
minutes = { $count } 分钟
hours = { $count } 小时
hours-minutes = { $hours } 小时 { $minutes } 分钟

## 积分

points-earned = 入账
points-spent = 支出
points-balance = 余额
points-unknown = 未知
points-nothing = 服务器上今天没有记录
points-incomplete = 明细没有读到底，合计只是下限：{ $reason }
points-unread = 没有读到积分明细，多少未知：{ $reason }
points-unreadable = 读不懂：{ $raw }
points-unreadable-count = { $count } 行读不懂，没有计入合计
points-rounded = 约数
points-gap = 余额对不上：从 { $before } 变成 { $now }，明细合计 { $rows }，相差 { $gap }
points-credited = 预期的 { $count } 笔都在明细里
points-differs = { $task }：应得 { $expected }，实得 { $credited }
points-missing = { $task }：应得 { $expected }，明细里没有
points-not-known = { $task }：应得 { $expected }，是否入账还不知道
sum-exact = { $amount }
sum-partial = 至少 { $amount }
sum-rounded = 约 { $amount }
sum-partial-rounded = 至少约 { $amount }
row-new = 新

footer-window = 统计范围 { $from } 至 { $to }
footer-made = { $time } 生成 · 时区 { $zone }
footer-promise = 「完成」都是从服务器上读回来的；积分以服务器的明细为准。

## 单独的邮件

notice-remind = { $time } 还没完成：{ $what }
notice-alarm = 警报：{ $what }
notice-dead = 放弃了：{ $what }
notice-skip = 跳过了：{ $what }
notice-of = { $name } { $what }
notice-alarm-no_success = 很久没有得到证实
notice-alarm-missed = 错过了时间
notice-alarm-no_rows = 没有新的积分
notice-remind-said = 时间窗还开着的，Sunup 会自己继续；着急的话可以自己先做。
notice-alarm-said = 只在开始时说一次；结束之前，`sunup status` 里一直看得到。
notice-dead-said = Sunup 不会再自己动它。`sunup dead` 可以看到；`retry KEY` 让它继续，`acknowledge KEY` 表示已知道。
notice-skip-said = 这一期不再尝试。
section-not-done = 还没完成

## 状态

status-pending = 还没开始
status-running = 进行中
status-success = 完成
status-already_done = 早已完成
status-compensated = 补上了
status-skipped = 跳过
status-failed = 还会再试
status-unconfirmed = 等待证实
status-blocked = 等你处理
status-dead = 没有做成

## 没有运行的原因

days-in-a-row = { $first } … { $last }，共 { $count } 天
periods-in-a-row = { $first } … { $last }，共 { $count } 期

reason-not_due = 还没到时间
reason-window_closed = 今天的时间段已过
reason-period_over = 这一天已经结束
reason-holiday = 假日
reason-not_workday = 不是工作日
reason-not_ready = 前提还没满足
reason-requirement_ended = 它所依赖的任务没有做成
reason-already_done = 已经完成
reason-closed = 已结束，没有做成
reason-refused = 网站拒绝了
reason-renamed = 已改名
reason-run_over = 本次运行的时间已到
reason-in_flight = 正在进行
reason-waiting_for_evidence = 在等证据
reason-ticket = 有工单没有处理
reason-suspended = 已暂停
reason-cooling_down = 站点要求等待
reason-locked = 另一个进程正在做
reason-missed = 错过了
reason-first_start = 首次运行等下一个时间点
reason-skip = 今天不用做
reason-later = 还没开放
reason-ledger_lost = 账本丢过记录，读过两遍才会去做

## 账本丢失的记录

loss-damaged = { $time } 发现账本已损坏。原文件保留为 { $kept }，已另起一本新账
loss-gone = { $time } 发现账本不见了，已另起一本新账
loss-older_copy = { $time } 发现账本是一份旧副本，只记到 { $known }
loss-another = { $time } 发现这里的账本不是上次用的那一本，它只记到 { $known }
alarm-no_success = { $name }（{ $account }）：自 { $time } 起没有任何一次得到核实，已超过两个周期
alarm-missed = { $name }（{ $account }）：错过了时段（{ $time } 发现），此后还没有一次得到核实
alarm-no_rows = { $name }（{ $account }）：自 { $time } 起积分明细读取正常，却没有一条新记录：登录或读取规则可能已经失效
dead-letters = 以前有 { $count } 项放弃了的还没人看过：`sunup dead`
dead-letters-again = 以前有 { $count } 项放弃了的还没人看过，其中 { $again } 项可以继续：`sunup dead`
loss-nothing = 没有时间记录
loss-and-so = { $what }。此前已开始的周期里的任务可能已经做过：要等站点隔一段核实时间两次都说“未做”才会去做；一次性的任务等你决定

## 节假日历

calendar-broken = 节假日历 { $calendar }（{ $file }）不能用：{ $why }。暂用上一份好的副本，请修好这个文件
calendar-uncovered = 节假日历 { $calendar }（{ $file }）没有 { $year } 年的内容：那一年只按周末算休息日，也不知道调休上班日。请换一份新的文件

## 失败的种类

kind-not_rendered = 页面没有显示出来
kind-timeout = 超时
kind-network = 网络不通
kind-server_error = 站点出错
kind-browser_crashed = 浏览器崩溃
kind-rate_limited = 站点要求慢一点
kind-maintenance = 站点维护
kind-session_expired = 登录过期
kind-page_changed = 页面变了
kind-no_effect = 做了却没有效果
kind-login = 需要登录
kind-captcha = 人机验证
kind-interstitial = 拦截页
kind-one_time_code = 一次性验证码
kind-qr_login = 扫码登录
kind-identity = 身份核验
kind-consent = 授权确认
kind-terms = 新的条款
kind-password_change = 要求修改密码
kind-account_restricted = 账号受限
kind-access_denied = 拒绝访问
kind-suspicious_page = 可疑页面
kind-credentials_rejected = 用户名或密码不对
kind-environment = 本机环境问题

advice-page_changed = 打开页面看看改成了什么样，再修改任务文件里的定位。
advice-no_effect = 到站点上看一眼是否真的没有做成；确认之后再决定要不要重做。
advice-login = 请你自己登录一次这个站点。
advice-captcha = 请你自己打开这个站点，完成人机验证。
advice-interstitial = 请你自己打开这个站点，看看拦截页说什么；在此之前不会再访问它。
advice-one_time_code = 请你自己登录，输入短信或邮件里的验证码。
advice-qr_login = 请你自己登录，用手机扫码。
advice-identity = 请你自己登录，完成身份核验。
advice-consent = 请你自己看清它要把什么交给谁，再决定是否同意。
advice-terms = 请你自己读一读新的条款，再决定是否接受。
advice-password_change = 请你自己登录，修改密码，然后更新保存的密码。
advice-account_restricted = 请你自己登录，看看账号为什么受限。
advice-access_denied = 站点拒绝了这台机器；请过一阵自己打开看看，在此之前不会再访问它。
advice-suspicious_page = 页面要的东西不像这个站点该要的；请先确认网址，不要急着输入密码。
advice-credentials_rejected = 请更正保存的用户名或密码；改好之前不会再试，以免锁号。
advice-environment = 先修好这台机器上的问题，任务会在时间段内自己再试。

## Command line

cli-valid = 文件没有问题：{ $sites } 个站点，{ $tasks } 个任务。
cli-owner = { $site }：由 { $owner } 担保可以自动执行
cli-next-run = 下次执行
cli-task = 任务
cli-key = 键
cli-dead-none = 没有死信。
cli-dead-what-now = `sunup dead retry 键`：让它继续——先重新读取，网站说还没做才会再做。`sunup dead acknowledge 键`：知道了，不再提。
cli-dead-acknowledged = { $key }：已知晓，不再提。
cli-dead-ordered = { $key }：下次运行时继续。
cli-account = 账号
cli-status = 状态
cli-when = 时间
cli-why = 原因
cli-again = { $time } 再试
cli-nothing-yet = 还没有任何记录：这个数据目录还没有执行过任务。
cli-nothing-due = 现在没有到点的任务。
cli-other-at-work = { $lane } 正由另一个进程处理（{ $holder }），这次没有动它，报告也由它来发。
cli-nothing-left = 都已做完：这次什么也没做，也没有启动浏览器。
cli-no-report = { $date } 没有任何记录。
cli-ticket = 工单 #{ $number }，{ $site }（{ $account }）：{ $reason }
cli-day = 日期
cli-history-none = { $date } 以来没有记录。
cli-stopping = 正在停下：不再开始新的，下次运行会接着做。再发一次信号就立刻结束。
cli-undelivered = 发给 { $to } 的邮件没有送达（{ $state ->
    [queued] 稍后再发
    [uncertain] 可能已经送到
   *[failed] 被拒收
}）：{ $reason }
cli-mail-folder = 晨报在 { $folder }
cli-browser-starts = 正在为 { $lane } 启动浏览器
cli-service-crontab = 写入 `crontab -e`；本机能发邮件时，出错会寄给你：
cli-service-file = { $file }
cli-service-then = 把每一段放进它上面写明的文件，然后执行：
cli-waiting = 等到 { $time }

## `explain`

explain-title = { $name }（{ $task }，{ $account }）
explain-nothing = 今天没有它的时段，也从来没有记录
explain-no-status = 还没有记录
explain-state = 状态：{ $status }{ $reason }
explain-decision = 上次决定：{ $answer }（{ $source }；连续 { $count } 次，最后一次 { $time }）
explain-now = 现在做吗？{ $answer }
explain-yes = 做
explain-required = 前提 { $name }：{ $state }
explain-met = 已满足
explain-not_ready = 还没满足
explain-ended = 不会再满足了
explain-ready = 通常在时段开始后 { $p80 } 分钟满足（p80），最晚 { $p99 } 分钟（p99）；共 { $days } 天
explain-key = 键：{ $key }，{ $from } 到 { $until }
explain-at-work = 它的通道里正在做事的是：{ $holder }
explain-nobody = 它的通道里现在没有人在做事
explain-attempt = 第 { $number } 次尝试从 { $time } 起正在进行（{ $source }）
explain-log = 最后几步：
explain-next = 下一个时段：{ $time }
explain-slot = 时段
explain-until = 截止
explain-note = 说明
slot-skipped = 那天没有 { $time }：改为 { $shown }
slot-twice = 那天有两个 { $time }：取早的一个
slot-holiday = 假日：跳过（{ $title }）
slot-not-workday = 不是工作日：跳过
slot-moved = 假日：移到 { $date }
slot-instead = 代替 { $date }（假日）
source-schedule = 按时
source-hand = 手动
source-retry = 重试

## 登录

session-since = { $time } 起已登录
session-until = 预计到 { $time }
session-ends-soon = 快到期了，请用 `sunup sign-in` 再登录一次
sign-in-opened = 窗口已打开 { $page }：请在里面用账号 { $account } 登录{ $site }。不会替你输入或点击任何东西。
sign-in-looks = 每隔几秒看一下你是否登录好了，不会碰页面，最多 { $minutes } 分钟。按回车立刻看；Ctrl+C 结束。
sign-in-enter = 登录好以后，请在 { $minutes } 分钟内回到这里按回车。Ctrl+C 结束。
sign-in-not-yet = 还没有人登录。
sign-in-unclear = 还看不出你是否已登录：{ $why }
sign-in-somebody-else = { $why }。这个会话不会保留：请在窗口里退出，再登录这个账号。
sign-in-kept = { $site } · { $account }：已登录，会话已为每天早晨保留。
sign-in-closed = 工单 #{ $number } 已关闭。
sign-in-locked = 这个账号正在运行（{ $holder }）：等它结束后再试。
sign-in-over-time = 在这段时间里没有人登录；你在窗口里做的会保留，其他都没有变。
sign-in-window-closed = 网站还没有显示这个账号已登录，窗口就关上了。
sign-in-stopped = 已结束；除了你在窗口里做的，什么都没有变。
sign-in-no-screen = 这里没有屏幕（$DISPLAY 和 $WAYLAND_DISPLAY 都没有设置）。在服务器上可以用 `ssh -X`，或者开一个虚拟屏幕，通过 ssh 隧道来看；命令在 docs/sign-in.md 里。
